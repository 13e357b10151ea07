"""Arguments of every call: what is taken, and what is refused in words that name the argument."""
import inspect
import os
import re
import shutil
import subprocess

import numpy as np
import pytest
from test_encoder import A, B, lines

import gausscse
from conftest import PROGRAM, run
from gausscse._arguments import thread_count


def refused(error, message, call, *arguments, **settings):
    with pytest.raises(error, match=message) as found:
        call(*arguments, **settings)
    assert "incompatible function arguments" not in str(found.value) and "--" not in str(found.value)


def test_wrong_numbers_are_refused_by_name(encoder, model, tmp_path):
    opened = (lambda **settings: gausscse.Encoder(model, **settings), lambda **settings: gausscse.Head.open(tmp_path, **settings),
              lambda **settings: gausscse.Head.fit(np.ones((4, 2)), np.zeros((1, 3), int), **settings))
    for call in opened:
        for wrong in (0, -1, 4097, 10**9, 2**70):
            refused(ValueError, f"^threads is {wrong}: give a whole number from 1 to 4096$", call, threads=wrong)
        for wrong in ("2", 1.5, [2]):
            refused(TypeError, f"^threads is {re.escape(repr(wrong))}: give a whole number from 1 to 4096", call, threads=wrong)
    for wrong in (0, -3, 2**70):
        refused(ValueError, f"^max_tokens is {wrong}: give a whole number from 1", opened[0], max_tokens=wrong)
        refused(ValueError, f"^top_k is {wrong}: give a whole number from 1", encoder.search, A, B, top_k=wrong)
        refused(ValueError, f"^steps is {wrong}: give a whole number from 1", opened[2], steps=wrong)
    for wrong in ("9", 1.5):
        refused(TypeError, f"^max_tokens is {wrong!r}: give a whole number", opened[0], max_tokens=wrong)
        refused(TypeError, f"^top_k is {wrong!r}: give a whole number", encoder.search, A, B, top_k=wrong)
        refused(TypeError, f"^steps is {wrong!r}: give a whole number", opened[2], steps=wrong)
    refused(TypeError, "^top_k is None", encoder.search, A, B, top_k=None)
    for wrong in (float("nan"), -1e-9, 1.5, float("inf")):
        refused(ValueError, f"^tolerance is {wrong}: give a number from 0 to 1$", encoder.score, A, B, tolerance=wrong)
    refused(TypeError, "^tolerance is '1': give a number", encoder.score, A, B, tolerance="1")
    refused(TypeError, "a setting of Head.fit is {1}", opened[2], seed={1})
    if encoder.is_calibrated:
        calls = (lambda **risk: encoder.score(A, B, **risk), lambda **risk: encoder.search(A, B, **risk),
                 encoder.confidence_at_risk)
        for call in calls:
            for wrong in (0, 1, float("nan"), -0.5):
                refused(ValueError, f"^risk is {wrong}: give a number over 0 and under 1$", call, risk=wrong)
            refused(TypeError, "^risk is '0.1': give a number$", call, risk="0.1")


def test_numbers_of_numpy_are_taken(encoder, model):
    other = gausscse.Encoder(model, threads=np.int64(2), max_tokens=np.uint8(7))
    assert other.max_seq_length == 7
    assert len(gausscse.Encoder(model, threads=4096, max_tokens=1).encode([])) == 0
    assert encoder.search(A, B, top_k=np.int32(2)) == encoder.search(A, B, top_k=2)
    assert len(encoder.search(A, B, top_k=2**63 - 1)[0]) == len(B)
    assert encoder.score(A, B, tolerance=np.float32(1)).verdict == encoder.score(A, B, tolerance=1).verdict
    if encoder.is_calibrated:
        assert encoder.confidence_at_risk(np.float64(0.5)) == encoder.confidence_at_risk(0.5)


def test_wrong_words_are_refused_by_name(encoder, model):
    for wrong, error, message in ((3, TypeError, "is 3: give a str"),
                                  ("\ud800", ValueError, "is .*, which cannot be written as UTF-8"),
                                  ("fp17", ValueError, 'is "fp17", which is not known')):
        refused(error, f"^precision {message}", gausscse.Encoder, model, precision=wrong)
        refused(error, f"^direction {message}", encoder.search, A, B, direction=wrong)
        if encoder.is_calibrated:
            refused(error, f"^calibrator {message}", encoder.search, A, B, calibrator=wrong)
            refused(error, f"^calibrator {message}", encoder.probability, A, B, calibrator=wrong)
            refused(error, f"^calibrator {message}", encoder.score, A, B, calibrator=wrong, risk=0.1)
            refused(error, f"^calibrator {message}", encoder.confidence_at_risk, 0.1, calibrator=wrong)
    for wrong, error in ((3, TypeError), ("\ud800", ValueError)):
        refused(error, "^pooling ", gausscse.Encoder, model, pooling=wrong)
        refused(error, "^locale ", gausscse.split, "One.", wrong)
    refused(ValueError, "^text ", gausscse.split, "\ud800")


def test_wrong_paths_are_refused_by_name(model, tmp_path):
    head = gausscse.Head.fit(np.eye(4), [[0, 1, 2], [1, 2, 3]], steps=1, batch_size=2)
    calls = {"path": [gausscse.Encoder, gausscse.Head.open, gausscse.read_result],
             "folder": [gausscse.read_study, head.save],
             "calibration": [lambda path: gausscse.Encoder(model, calibration=path),
                             lambda path: gausscse.Head.open(tmp_path, calibration=path)]}
    for name, of_name in calls.items():
        for call in of_name:
            refused(ValueError, f"^{name} is 'a.x00b': the path holds a null character", call, "a\0b")
            refused(ValueError, f"^{name} is 'a.x00b': the path holds a null character", call, b"a\0b")
            refused(ValueError, f"^{name} is .*, which cannot be written as UTF-8", call, b"a\xff")
            refused(ValueError, f"^{name} is .*, which cannot be written as UTF-8", call, "a\ud800")
            refused(TypeError, f"^{name} is 3.5: give the path of a file or folder", call, 3.5)
    assert len(gausscse.Encoder(str(model).encode()).encode(A)) == 4


@pytest.fixture
def without_head(model, tmp_path):
    """Returns the folder of the trained model's encoder, as it is before a training."""
    folder = model if (tmp_path.__class__(model) / "config.json").exists() else f"{model}/model"
    copy = tmp_path / "encoder"
    shutil.copytree(folder, copy)
    for name in ("gausscse.safetensors", ".gausscse", "calibration.json"):
        (copy / name).unlink(missing_ok=True)
    return copy


def test_messages_name_arguments_and_not_options(model, without_head, tmp_path):
    """One message of each place below the package that names an option of the program."""
    refused(ValueError, '^precision is "fp17"', gausscse.Encoder, model, precision="fp17")
    refused(ValueError, '^precision is "fp17"', gausscse.Encoder, without_head, precision="fp17")
    refused(ValueError, '^pooling is "sum"', gausscse.Encoder, without_head, pooling="sum")
    refused(ValueError, "^max_tokens=100000: .* has positions for", gausscse.Encoder, model, max_tokens=100000)
    refused(ValueError, "^pooling=sum: .* was trained with .*: leave pooling out$", gausscse.Encoder, model, pooling="sum")
    with pytest.warns(UserWarning, match="^pooling=first_token: the pooling of .* itself is mean$"):
        gausscse.Encoder(without_head, pooling="first_token")
    (without_head / "modules.json").rename(tmp_path / "modules.json")
    refused(ValueError, "does not say how to pool token states .*: give pooling ", gausscse.Encoder, without_head)
    text = (tmp_path / "modules.json").read_text().replace("sentence_transformers.models.Pooling", "mine.Odd")
    (without_head / "modules.json").write_text(text)
    refused(ValueError, ": give pooling to take the sentence vectors", gausscse.Encoder, without_head)
    (tmp_path / "words.txt").write_text("cat 1 2\ndog 2 1\n")
    refused(ValueError, "^precision=bf16: .* leave precision out$", gausscse.Encoder, tmp_path / "words.txt", precision="bf16")
    refused(ValueError, "^max_tokens=3: .* leave max_tokens out$", gausscse.Encoder, tmp_path / "words.txt", max_tokens=3)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "text").write_text("")
    head = gausscse.Head.fit(np.eye(4), [[0, 1, 2], [1, 2, 3]], steps=1, batch_size=2)
    refused(ValueError, "^folder .*mine is there already: give another path, or overwrite=True", head.save, tmp_path / "mine")
    refused(ValueError, "mine would be replaced, .* or write elsewhere$", head.save, tmp_path / "mine", overwrite=True)


def test_a_warning_has_the_line_of_its_call(encoder, without_head):
    long = "word " * 200
    calls = [lambda: encoder.encode(long), lambda: encoder.similarity(long, A), lambda: encoder.similarity_pairwise(long, "a"),
             lambda: encoder.search(A, [long]), lambda: encoder.score(long, "a"),
             lambda: gausscse.Encoder(without_head, pooling="first_token")]
    for call in calls:
        with pytest.warns(UserWarning) as caught:
            call()
        assert {(warning.filename, warning.lineno) for warning in caught} == {(__file__, call.__code__.co_firstlineno)}


def test_a_setting_of_the_encoder_is_passed_on(encoder, model, without_head):
    cut = gausscse.Encoder(model, max_tokens=5)
    assert cut.max_seq_length == 5 != encoder.max_seq_length
    with pytest.warns(UserWarning, match="has more than 5 tokens"):
        assert not np.array_equal(cut.encode(A[2]).mean, encoder.encode(A[2]).mean)
    by_precision = [gausscse.Encoder(model, precision=precision).encode(A).mean for precision in ("fp32", "bf16", "int8")]
    assert not np.array_equal(by_precision[0], by_precision[1]) and not np.array_equal(by_precision[1], by_precision[2])
    with pytest.warns(UserWarning, match="pooling"):
        pooled = gausscse.Encoder(without_head, pooling="first_token").encode(A).mean
    assert not np.allclose(pooled, gausscse.Encoder(without_head, pooling="mean").encode(A).mean, atol=1e-3)


def test_pairs_must_be_as_many_on_both_sides(encoder):
    for call in (encoder.score, encoder.similarity_pairwise, encoder.probability):
        if call == encoder.probability and not encoder.is_calibrated:
            continue
        refused(ValueError, "the pairs have 4 first and 3 second sentences", call, A, B[:3])
        refused(ValueError, "the pairs have 3 first and 4 second sentences", call, A[:3], B)


def test_defaults_are_those_of_the_program(encoder, model, tmp_path):
    def default(call, name):
        return inspect.signature(call).parameters[name].default

    def of_program(command, option):
        shown = subprocess.run([PROGRAM, command, "--help"], check=True, capture_output=True, text=True).stdout
        return re.search(rf"{option} .*=(\S+)", shown)[1]

    assert float(of_program("score", "--tolerance")) == default(encoder.score, "tolerance")
    assert of_program("split", "--locale") == default(gausscse.split, "locale")
    corpus = lines(tmp_path / "corpus.txt", B * 3)
    found = run("search", model, corpus, lines(tmp_path / "query.txt", A[:1])).splitlines()
    assert [int(row.split("\t")[2]) for row in found] == [hit.corpus_id for hit in encoder.search(A[:1], B * 3)[0]]
    for call in (encoder.score, encoder.probability, encoder.confidence_at_risk):
        assert default(call, "calibrator") == "platt"


def test_threads_are_as_many_as_the_cores_of_the_process():
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        assert thread_count(None) == 1
    finally:
        os.sched_setaffinity(0, cores)
    assert thread_count(None) == len(cores)


def test_all_warnings_of_a_call_are_raised(encoder, model, without_head, hits):
    shutil.copy(f"{model}/model/calibration.json", without_head)
    calls = {"pooling=first_token|was fitted to the similarity": lambda: gausscse.Encoder(without_head, pooling="first_token"),
             "1 sentence has more than 64|unknown to the tokenizer": lambda: encoder.encode("\u0f40 " * 200),
             "the corpus has 2 rows|40 best hits unlike": lambda: calibrated.search(A[3:] * 40, B[:2])}
    calibrated = gausscse.Encoder(model, calibration=hits)
    for parts, call in calls.items():
        with pytest.warns(UserWarning) as caught:
            call()
        assert all(sum(part in str(warning.message) for warning in caught) == 1 for part in parts.split("|")), parts
        assert len(caught) == 2
