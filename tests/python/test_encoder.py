"""The package against the program's outputs and against the formulas in float64."""
import subprocess
import sys
import warnings

import numpy as np
import pytest
from conftest import run

import gausscse

A = ["An animal sleeps.", "", "Two men play football in the park.", "It rains."]
B = ["A cat sleeps on a chair.", "People do sports.", "A man is outside.", "Nobody is here at all."]


def per_dimension(p, q):
    """sim(p_i || q_j), the mean over dimensions of 1 / (1 + KL(p_i || q_j)), in float64."""
    (m, s), (n, t) = ((side.mean.astype(np.float64), side.log_var.astype(np.float64)) for side in (p, q))
    m, s, n, t = m[:, None], s[:, None], n[None], t[None]
    divergence = (np.exp(s - t) + (m - n) ** 2 / np.exp(t) - 1 - s + t) / 2
    return (1 / (1 + divergence)).mean(axis=2)


def lines(path, texts):
    path.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    return path


def test_encode_gives_the_bits_of_the_program(encoder, model, tmp_path):
    h5py = pytest.importorskip("h5py")
    run("encode", model, lines(tmp_path / "in.txt", A + B), tmp_path / "out.h5")
    embeddings = encoder.encode(A + B)
    with h5py.File(tmp_path / "out.h5") as file:
        assert np.array_equal(embeddings.mean, file["mean"][:])
        assert np.array_equal(embeddings.log_var, file["log_var"][:])


LEVELS = [("avx512", "AVX512_CORE"), ("avx2", "AVX2"), ("generic", "SSE41"), ("avx2", None)]


@pytest.mark.parametrize(("kernels", "library"), LEVELS)
def test_every_processor_has_the_bits_of_the_program(model, tmp_path, monkeypatch, kernels, library):
    """Kernels of lesser processors; `library` leaves LibTorch the same, None all that it finds: values are near then."""
    monkeypatch.setenv("GAUSSCSE_INSTRUCTION_SET", kernels)
    if library:
        monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", library)
    code = ("import sys, numpy, gausscse\n"
            "for precision in ('fp32', 'bf16', 'int8'):\n"
            "    found = gausscse.Encoder(sys.argv[1], precision=precision).encode(open(sys.argv[2]).read().splitlines())\n"
            "    numpy.savez(sys.argv[3] + precision, mean=found.mean, log_var=found.log_var)\n")
    given = lines(tmp_path / "in.txt", A + B)
    found = subprocess.run([sys.executable, "-c", code, str(model), given, f"{tmp_path}/"], capture_output=True, text=True)
    if "which this processor does not have" in found.stderr:
        pytest.skip(f"this processor has no {kernels}")
    assert found.returncode == 0, found.stderr
    for precision in ("fp32", "bf16", "int8"):
        run("encode", model, given, tmp_path / f"{precision}-program.npz", "--precision", precision)
        own, program = np.load(tmp_path / f"{precision}.npz"), np.load(tmp_path / f"{precision}-program.npz")
        for name in ("mean", "log_var"):
            if library or precision == "fp32":
                assert np.array_equal(own[name], program[name]), precision
            else:
                np.testing.assert_allclose(own[name], program[name], rtol=0, atol=0.05 * np.abs(program[name]).max())


def test_bits_do_not_depend_on_batch_or_threads(encoder, model):
    together = encoder.encode(A + B, batch_size=2)
    for threads in (1, 3):
        other = gausscse.Encoder(model, threads=threads)
        again = other.encode(A + B)
        assert np.array_equal(again.mean, together.mean) and np.array_equal(again.log_var, together.log_var)
        for i, text in enumerate(A + B):
            one = other.encode(text)
            np.testing.assert_allclose(one.mean[0], together.mean[i], atol=1e-5)
            np.testing.assert_allclose(one.log_var[0], together.log_var[i], atol=1e-5)
    assert np.array_equal(together[1:3].mean, together.mean[1:3]) and len(together[1]) == 1
    assert len(encoder.encode([])) == 0


def test_similarity_has_its_direction(encoder):
    a, b = encoder.encode(A[:3]), encoder.encode(B)
    matrix = encoder.similarity(A[:3], b)
    assert matrix.shape == (3, 4) and matrix.dtype == np.float32
    np.testing.assert_allclose(matrix, per_dimension(a, b), atol=1e-6)
    assert not np.allclose(matrix, encoder.similarity(b, a).T, atol=1e-4)
    copied = gausscse.Embeddings(a.mean.copy(), a.log_var.copy())
    assert np.array_equal(encoder.similarity(copied, b), matrix)
    np.testing.assert_allclose(encoder.similarity_pairwise(A, B), np.diag(encoder.similarity(A, B)), atol=1e-6)


def test_many_pairs_are_those_of_few(encoder):
    """Pairs are compared in blocks; a remainder makes the last one shorter."""
    a, b = encoder.encode(A), encoder.encode(B)
    index = np.arange(40001) % 4
    index[-1] = 2
    assert np.array_equal(encoder.similarity_pairwise(a[index], b[index]), encoder.similarity_pairwise(a, b)[index])
    scores, few = encoder.score(a[index], b[index]), encoder.score(a, b)
    assert np.array_equal(scores.forward, few.forward[index]) and np.array_equal(scores.backward, few.backward[index])
    assert scores.verdict == [few.verdict[i] for i in index]
    if encoder.is_calibrated:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert np.array_equal(encoder.probability(a[index], b[index]), encoder.probability(a, b)[index])
    assert encoder.similarity_pairwise([], []).shape == (0,) and encoder.score([], []).verdict == []


def test_score_is_that_of_the_program(encoder, model, tmp_path):
    pairs = lines(tmp_path / "pairs.tsv", [f"{a}\t{b}" for a, b in zip(A, B)])
    scores = encoder.score(A, B)
    printed = [line.split("\t") for line in run("score", model, pairs).splitlines()]
    assert [f"{x:.6f}" for x in scores.forward] == [row[0] for row in printed]
    assert [f"{x:.6f}" for x in scores.backward] == [row[1] for row in printed]
    assert scores.verdict == [row[2] for row in printed] and scores.probability is scores.direction is None
    wide = [line.split("\t")[2] for line in run("score", model, pairs, "--tolerance", 1).splitlines()]
    assert encoder.score(A, B, tolerance=1).verdict == wide
    reference = per_dimension(encoder.encode(B), encoder.encode(A))
    np.testing.assert_allclose(scores.forward, np.diag(reference), atol=1e-6)


@pytest.mark.parametrize("direction", ["entails", "entailed-by", "both"])
def test_search_is_that_of_the_program_and_of_brute_force(encoder, model, tmp_path, direction):
    corpus, queries = lines(tmp_path / "corpus.txt", B + A), lines(tmp_path / "queries.txt", A)
    hits = encoder.search(A, encoder.encode(B + A), top_k=3, direction=direction)
    printed = [line.split("\t") for line in
               run("search", model, corpus, queries, "--top", 3, "--direction", direction).splitlines()]
    assert [[query, hit.corpus_id] for query, found in enumerate(hits) for hit in found] == \
        [[int(row[0]), int(row[2])] for row in printed]
    given_row, given_query = per_dimension(encoder.encode(A), encoder.encode(B + A)), \
        per_dimension(encoder.encode(B + A), encoder.encode(A)).T
    order = {"entails": given_row, "entailed-by": given_query, "both": np.minimum(given_row, given_query)}[direction]
    for query, found in enumerate(hits):
        assert [hit.corpus_id for hit in found] == np.argsort(-order[query], kind="stable")[:3].tolist()
        for hit in found:
            row = hit.corpus_id
            np.testing.assert_allclose([hit.score, hit.query_given_row, hit.row_given_query],
                                       [order[query, row], given_row[query, row], given_query[query, row]], atol=1e-9)


def test_split_is_that_of_the_program(tmp_path):
    text = "Mr. Miller left.  Why?\nNobody knows"
    for options in ({}, {"locale": "en"}, {"locale": "und"}):
        flags = [word for name, value in options.items() for word in (f"--{name}", value)]
        assert gausscse.split(text, **options) == run("split", lines(tmp_path / "text.txt", [text]), *flags).splitlines()
    assert gausscse.split(text) == ["Mr. Miller left.", "Why?", "Nobody knows"]
    assert len(gausscse.split(text, "en")) == 4
    assert gausscse.split("") == []
    with pytest.raises(ValueError, match="is no language tag"):
        gausscse.split(text, locale="not a tag")
    with pytest.raises(TypeError, match="not a str but list"):
        gausscse.split([text])


def test_wrong_arguments_are_refused_in_words(encoder, tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file or folder"):
        gausscse.Encoder(tmp_path / "none")
    with pytest.raises(ValueError, match="no config.json"):
        gausscse.Encoder(tmp_path)
    with pytest.raises(TypeError, match="sentence 1"):
        encoder.encode(["a", 3])
    with pytest.raises(ValueError, match="UTF-8"):
        encoder.encode(["\ud800"])
    with pytest.raises(ValueError, match="4 first and 3 second"):
        encoder.score(A, B[:3])
    with pytest.raises(ValueError, match="not those of this model"):
        encoder.similarity(gausscse.Embeddings(np.zeros((2, 3))), A)
    with pytest.raises(ValueError, match="entailed-by"):
        encoder.search(A, B, direction="entailed_by")
    with pytest.raises(ValueError, match="top_k"):
        encoder.search(A, B, top_k=0)


def test_a_sentence_that_is_cut_causes_a_warning(encoder):
    with pytest.warns(UserWarning, match="1 sentence has more than 64 tokens"):
        encoder.encode("word " * 200)


def test_pandas_is_imported_by_readers_only():
    code = "import sys, gausscse; assert not {'pandas', 'h5py', 'tqdm'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_progress_bar_goes_to_standard_error(encoder, capsys):
    encoder.encode(A, show_progress_bar=True)
    assert "4/4" in capsys.readouterr().err
