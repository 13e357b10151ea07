"""Heads on arrays against trainings of the program on the same vectors and examples in files."""
import json
import os
import pickle
import signal
import threading
import types

import numpy as np
import pytest
from conftest import run
from test_encoder import per_dimension

import gausscse
from gausscse import _head

WIDTH, ROWS = 16, 90


@pytest.fixture(scope="module")
def vectors():
    return np.random.default_rng(1).standard_normal((ROWS, WIDTH)).astype(np.float32)


@pytest.fixture(scope="module")
def triples():
    return np.random.default_rng(2).integers(0, ROWS, (60, 3))


def trained(folder, vectors, examples, *overrides):
    """Trains by the program; returns the run's folder."""
    np.save(folder / "vectors.npy", vectors)
    (folder / "texts.txt").write_text("".join(f"text {i}\n" for i in range(len(vectors))))
    names = ["sent0", "sent1", "hard_neg"][:examples.shape[1]]
    rows = [names, *([f"text {i}" for i in row] for row in examples)]
    (folder / "examples.csv").write_text("".join(",".join(row) + "\n" for row in rows))
    (folder / "trial.yaml").write_text(
        "format: gausscse-trial/2\nrecipe: head\nmodel: {backbone: {vectors: vectors.npy, texts: texts.txt}}\n"
        "data: {train: examples.csv}\ntraining: {batch_size: 7}\noutput: run\n")
    run("train", folder / "trial.yaml", *(word for text in overrides for word in ("--set", text)))
    return folder / "run"


def same(a, b):
    return np.array_equal(a.mean, b.mean) and np.array_equal(a.log_var, b.log_var)


def expect_near(trained, program):
    """Matmuls of a training are LibTorch's in the program: values are equal to rounding."""
    for own, other in ((trained.mean, program.mean), (trained.log_var, program.log_var)):
        np.testing.assert_allclose(own, other, rtol=0, atol=1e-5 * np.abs(other).max())


@pytest.mark.parametrize("given", [
    {},
    {"steps": ("training.max_steps", 9), "seed": ("training.seed", 5), "learning_rate": ("training.learning_rate", 0.02)},
    {"temperature": ("objective.temperature", 0.1), "loss": ("objective.loss", "ent+con"),
     "similarity": ("objective.similarity", "joint"), "epochs": ("training.epochs", 2)},
    {"mean": ("model.head.mean", "linear"), "scale": ("model.head.scale", "none"), "log_var": ("model.head.log_var", "mlp"),
     "log_var_width": ("model.head.log_var_width", 5), "with_simcse": ("objective.with_simcse", True)},
    {"init": ("model.head.init", "random"), "order": ("data.order", "file"), "last_batch": ("data.last_batch", "keep"),
     "warmup_ratio": ("training.warmup_ratio", 0.2), "weight_decay": ("training.weight_decay", 0.1),
     "schedule": ("training.schedule", "linear_increase")},
    {"log_var_start": ("model.head.log_var_start", "data"), "clip_norm": ("training.clip_norm", 0.1),
     "epsilon": ("training.epsilon", 1e-3), "micro_batch": ("training.micro_batch", 3)}])
def test_a_head_has_the_values_of_the_programs_training(vectors, triples, tmp_path, given):
    folder = trained(tmp_path, vectors, triples, *(f"{key}={str(value).lower()}" for key, value in given.values()))
    head = gausscse.Head.fit(vectors, triples, batch_size=7, **{name: value for name, (_, value) in given.items()})
    losses = pytest.importorskip("h5py").File(folder / "result.h5")["training"]["loss"][:]
    opened = gausscse.Head.open(folder)(vectors)
    assert same(opened, gausscse.Head.open(folder / "model")(vectors))
    expect_near(head(vectors), opened)
    np.testing.assert_allclose(head.losses, losses, rtol=1e-6)


def test_pairs_have_no_contradicted_sentence(vectors, triples, tmp_path):
    folder = trained(tmp_path, vectors, triples[:, :2], "data.examples=entailment_pairs", "objective.loss=ent+rev")
    head = gausscse.Head.fit(vectors, triples[:, :2], batch_size=np.int64(7))
    expect_near(head(vectors), gausscse.Head.open(folder)(vectors))
    other = {"loss": "ent", "batch_size": 7, "steps": None}
    assert not same(gausscse.Head.fit(vectors, triples[:, :2], **other)(vectors), head(vectors))
    assert same(gausscse.Head.fit(vectors, triples[:, :2].astype(np.uint8), batch_size=7)(vectors), head(vectors))
    columns = np.asfortranarray(triples[:, :2])
    assert same(gausscse.Head.fit(np.asfortranarray(vectors), columns, batch_size=7)(vectors), head(vectors))


def test_warnings_of_a_training_are_raised(vectors, triples, monkeypatch):
    """A machine without memory gives some, so that the training is made up."""
    trained = types.SimpleNamespace(warnings=["a step takes about 9 MiB", "another"])
    monkeypatch.setattr(_head, "HeadModel", types.SimpleNamespace(fit=lambda *_: trained))
    with pytest.warns(UserWarning) as caught:
        gausscse.Head.fit(vectors, triples)
    assert [(str(warning.message), warning.filename) for warning in caught] == [(text, __file__) for text in trained.warnings]


def test_the_program_applies_a_head_that_is_saved(vectors, triples, tmp_path):
    head = gausscse.Head.fit(vectors, triples, steps=5, batch_size=7)
    folder = trained(tmp_path, vectors, triples, "training.max_steps=5")
    head.save(tmp_path / "saved")
    with pytest.raises(ValueError, match="is there already: give another path, or overwrite=True"):
        gausscse.Head.fit(vectors, triples, steps=1, batch_size=7).save(tmp_path / "saved")
    assert same(gausscse.Head.open(tmp_path / "saved")(vectors), head(vectors))
    head.save(tmp_path / "saved", overwrite=True)
    expect_near(head(vectors), gausscse.Head.open(folder)(vectors))
    assert (tmp_path / "saved/README.md").read_bytes() == (folder / "model/README.md").read_bytes()
    assert (tmp_path / "saved/gausscse.safetensors").stat().st_size == (folder / "model/gausscse.safetensors").stat().st_size
    run("apply", tmp_path / "saved", tmp_path / "vectors.npy", tmp_path / "out.npz")
    with np.load(tmp_path / "out.npz") as out:
        assert np.array_equal(out["mean"], head(vectors).mean) and np.array_equal(out["log_var"], head(vectors).log_var)
    opened = gausscse.Head.open(tmp_path / "saved")
    with pytest.raises(TypeError, match="a Head is not pickled: save it"):
        pickle.dumps(opened)
    opened.save(tmp_path / "again")
    assert (tmp_path / "again" / "README.md").read_bytes() == (tmp_path / "saved" / "README.md").read_bytes()
    assert same(gausscse.Head.open(tmp_path / "again")(vectors), head(vectors))
    assert opened.similarity_name == "per_dimension" and len(opened.losses) == 0 and len(head.losses) == 5


def test_a_head_compares_vectors_and_embeddings(vectors, triples):
    head = gausscse.Head.fit(vectors, triples, steps=20, batch_size=7)
    embeddings = head(vectors)
    assert embeddings.mean.shape == embeddings.log_var.shape == (ROWS, WIDTH) and embeddings.mean.dtype == np.float32
    matrix = head.similarity(vectors[:5], embeddings)
    np.testing.assert_allclose(matrix, per_dimension(embeddings[:5], embeddings), atol=1e-6)
    for i, hits in enumerate(head.search(vectors[:5], vectors, top_k=3)):
        expected = np.argsort(-per_dimension(embeddings[i], embeddings)[0], kind="stable")[:3]
        assert [hit.corpus_id for hit in hits] == expected.tolist()
    assert len(head(vectors[:0])) == 0
    assert same(head(vectors.astype(np.float64)), embeddings)
    whole = np.round(8 * vectors).astype(np.int32)
    assert same(head(whole), head(whole.astype(np.float32))) and head(whole[::2]).mean.shape == (ROWS // 2, WIDTH)
    with pytest.raises(ValueError, match="no calibration.json"):
        head.probability(vectors, vectors)


def test_a_head_takes_the_calibration_of_its_training(encoder, vectors, triples, tmp_path):
    run("generate", tmp_path / "corpus", "--train", 60, "--dev", 300, "--test", 9)
    pairs = [json.loads(line) for name in ("train", "dev") for line in open(tmp_path / "corpus" / f"{name}.jsonl")]
    texts = list(dict.fromkeys(pair[side] for pair in pairs for side in ("sentence1", "sentence2")))
    means = encoder.encode(texts).mean
    np.save(tmp_path / "means.npy", means)
    (tmp_path / "texts.txt").write_text("".join(text + "\n" for text in texts))
    (tmp_path / "trial.yaml").write_text(
        "format: gausscse-trial/2\nrecipe: head\nmodel: {backbone: {vectors: means.npy, texts: texts.txt}}\n"
        "data: {train: corpus/train.jsonl}\ntraining: {batch_size: 8, max_steps: 2}\noutput: run\n"
        "tasks: {dev: {kind: nli, files: corpus/dev.jsonl, eval_every: 1}}\nselect: {task: dev, figure: auprc}\n")
    run("train", tmp_path / "trial.yaml")
    own = gausscse.Head.open(tmp_path / "run")
    own.save(tmp_path / "saved")
    file = (tmp_path / "saved" / "calibration.json").rename(tmp_path / "pairs.json")
    (tmp_path / "saved" / ".gausscse").unlink()
    head = gausscse.Head.open(tmp_path / "saved", calibration=file)
    assert own.is_calibrated and head.is_calibrated and not gausscse.Head.open(tmp_path / "saved").is_calibrated
    first, second = (means[[texts.index(pair[side]) for pair in pairs[-300:]]] for side in ("sentence1", "sentence2"))
    similarity = head.score(first, second).forward.astype(np.float64)
    platt = json.loads(file.read_text())["platt"]
    expected = 1 / (1 + np.exp(-platt["slope"] * (np.log(similarity) - np.log1p(-similarity)) - platt["intercept"]))
    np.testing.assert_allclose(head.score(first, second, risk=0.4).probability, expected, rtol=1e-12)
    assert np.array_equal(own.probability(first, second), head.probability(first, second))
    with pytest.warns(UserWarning, match="300 pairs unlike those of") as caught:
        head.score(first[[0] * 300], first[[0] * 300], risk=0.4)
    assert [warning.filename for warning in caught] == [__file__]
    with pytest.raises(ValueError, match="risk needs a calibration of hits"):
        head.search(first, second, risk=0.4)
    with pytest.raises(FileNotFoundError, match="none.json"):
        gausscse.Head.open(tmp_path / "saved", calibration=tmp_path / "none.json")
    gausscse.Head.fit(vectors, triples, steps=1, batch_size=7).save(tmp_path / "other")
    with pytest.raises(ValueError, match="fitted to other weights"):
        gausscse.Head.open(tmp_path / "other", calibration=file)


def test_a_head_learns_what_entails(vectors, triples):
    premise, entailed, contradicted = triples.T

    def right(head):
        e = head(vectors)
        return np.mean(head.similarity_pairwise(e[entailed], e[premise]) > head.similarity_pairwise(e[contradicted], e[premise]))

    assert right(gausscse.Head.fit(vectors, triples, batch_size=60, steps=1, learning_rate=1e-12)) < 0.7
    assert right(gausscse.Head.fit(vectors, triples, batch_size=60, steps=300, temperature=0.05, mean="linear",
                                   learning_rate=0.02)) > 0.9


def test_bits_do_not_depend_on_threads(vectors, triples):
    heads = [gausscse.Head.fit(vectors, triples, batch_size=30, threads=threads) for threads in (1, 3)]
    assert same(heads[0](vectors), heads[1](vectors))


def test_wrong_arrays_are_refused_with_the_place(vectors, triples, tmp_path):
    def refused(match, rows=vectors, examples=triples, error=ValueError, **settings):
        with pytest.raises(error, match=match):
            gausscse.Head.fit(rows, examples, **{"batch_size": 7} | settings)

    def with_value(array, place, value):
        changed = array.copy()
        changed[place] = value
        return changed

    refused(r"vectors are an array \[90\]", rows=vectors[:, 0])
    refused(r"vectors are an array \[90, 16\] of <U", rows=vectors.astype(str))
    refused(r"vectors has the shape \[0, 16\]", rows=vectors[:0])
    refused(r"vectors: row 7 \(from 0\), value 2 is nan", rows=with_value(vectors, (7, 2), np.nan))
    refused(r"vectors: row 8 \(from 0\), value 3 is inf", rows=with_value(vectors.astype(np.float64), (8, 3), 1e300))
    refused(r"vectors: row 89 \(from 0\) has zeros alone", rows=with_value(vectors, 89, 0))
    refused(r"triples are an array \[60\]", examples=triples[:, 0])
    refused(r"triples are an array \[60, 3\] of float64", examples=triples.astype(float))
    refused(r"the examples have the shape \[0, 3\]", examples=triples[:0])
    refused(r"the examples: row 4 \(from 0\) names row 90 of vectors, which has 90 rows",
            examples=with_value(triples, (4, 1), 90))
    refused(r"the examples: row 5 \(from 0\) names row -1", examples=with_value(triples, (5, 2), -1))
    refused("the batch size 61 is larger than the 60 examples", batch_size=61)
    refused("training.learning_rate", learning_rate=-1)
    refused("objective.similarity", similarity="cosinus")
    refused("threads is 0", threads=0)
    refused("'lerning_rate' is no setting of Head.fit: did you mean 'learning_rate'", error=TypeError, lerning_rate=1)
    head = gausscse.Head.fit(vectors, triples, batch_size=7, steps=1)
    with pytest.raises(ValueError, match="the vectors have 15 values, but the head is for vectors of 16"):
        head(np.ascontiguousarray(vectors[:, 1:]))
    with pytest.raises(ValueError, match="the vectors have 17 values, but the head is for vectors of 16"):
        head(np.concatenate([vectors, vectors[:, :1]], axis=1))
    with pytest.raises(ValueError, match=r"row 1 \(from 0\), value 0 is nan"):
        head(with_value(vectors, (1, 0), np.nan))
    with pytest.raises(FileNotFoundError):
        gausscse.Head.open(tmp_path / "none")
    with pytest.raises(ValueError, match="is no head for vectors"):
        gausscse.Head.open(tmp_path)
    with pytest.raises(OSError):
        head.save(tmp_path / "no" / "such" / "folder")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "text").write_text("")
    for overwrite in (False, True):
        with pytest.raises(ValueError, match="is there already" if not overwrite else "did not write"):
            head.save(tmp_path / "mine", overwrite=overwrite)
    (tmp_path / "empty").mkdir()
    head.save(tmp_path / "empty")
    assert same(gausscse.Head.open(tmp_path / "empty")(vectors), head(vectors))


def test_interrupt_ends_fit_and_leaves_the_package_whole(vectors, triples, capsys):
    # Python does not handle the signal where it was ignored at its start, as by a script's commands in the background.
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        gausscse.Head.fit(vectors, triples, batch_size=7, steps=10**8)
    timer.join()
    signal.signal(signal.SIGINT, previous)
    gausscse.Head.fit(vectors, triples, batch_size=7, steps=8, show_progress_bar=True)
    assert "8/8" in capsys.readouterr().err
