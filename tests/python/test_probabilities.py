"""Probabilities, verdicts at a risk and warnings against those of the program."""
import json
import math
import os
import shutil
import warnings

import numpy as np
import pytest
from conftest import run
from test_encoder import A, B, lines

import gausscse


@pytest.mark.parametrize("calibrator", ["platt", "logistic", "isotonic"])
@pytest.mark.parametrize("risk", [0.01, 0.35, 0.9])
def test_answers_at_a_risk_are_those_of_the_program(encoder, model, tmp_path, calibrator, risk):
    pairs = lines(tmp_path / "pairs.tsv", [f"{a}\t{b}" for a in A for b in B])
    options = ["--probability", "--risk", risk, "--calibrator", calibrator, "--precision", "fp32"]
    if not encoder.is_calibrated:
        with pytest.raises(ValueError, match="calibration"):
            encoder.score(A, B, risk=risk)
        pytest.skip("the model has no calibration")
    printed = [line.split("\t") for line in run("score", model, pairs, *options).splitlines()]
    first, second = zip(*((a, b) for a in A for b in B))
    exact = gausscse.Encoder(model, precision="fp32")
    scores = exact.score(first, second, risk=risk, calibrator=calibrator)
    assert [scores.verdict, scores.direction] == [[row[2] for row in printed], [row[4] for row in printed]]
    # Six decimals are printed, of numbers whose last bits may differ.
    np.testing.assert_allclose([scores.forward, scores.backward, scores.probability],
                               [[float(row[i]) for row in printed] for i in (0, 1, 3)], rtol=0, atol=2e-6)
    assert np.array_equal(exact.probability(first, second, calibrator), scores.probability)
    assert set(scores.verdict) <= {"entailed", "not entailed", "abstains"}
    # All abstain if no promise can be kept; some answer if nearly all may be wrong.
    assert risk != 0.01 or set(scores.verdict) == {"abstains"}
    assert risk != 0.9 or set(scores.verdict) != {"abstains"}
    for wrong in (0, 1, -0.5):
        with pytest.raises(ValueError, match="risk is"):
            encoder.score(A, B, risk=wrong)


def test_probability_is_the_logistic_of_the_logit(encoder, model):
    if not encoder.is_calibrated:
        with pytest.raises(ValueError, match="no calibration.json"):
            encoder.probability(A, B)
        pytest.skip("the model has no calibration")
    folder = model if os.path.exists(f"{model}/calibration.json") else f"{model}/model"
    with open(f"{folder}/calibration.json") as file:
        platt = json.load(file)["platt"]
    similarity = np.clip(encoder.score(A, B).forward.astype(np.float64), 1e-7, 1 - 1e-7)
    logit = np.log(similarity) - np.log1p(-similarity)
    expected = 1 / (1 + np.exp(-(platt["slope"] * logit + platt["intercept"])))
    np.testing.assert_allclose(encoder.probability(A, B), expected, rtol=1e-12)


def confidence_of_cuts(cuts, risk):
    """Returns the confidence of the last cut before the first one whose error may be over the risk (docs/calibration.md)."""
    found = None
    for start in (5, 10, 20, 40):  # percent of the pairs: each has a quarter of 5 %
        for confidence, answered, errors in cuts:
            of_errors = [math.comb(answered, k) * risk**k * (1 - risk) ** (answered - k) for k in range(errors + 1)]
            if of_errors[0] > 0.0125 or answered * 100 < cuts[-1][1] * start:
                continue
            if sum(of_errors) > 0.0125:
                break
            found = confidence if found is None else min(found, confidence)
    return found


def test_the_calibrator_and_the_risk_decide_the_confidence(encoder, model):
    if not encoder.is_calibrated:
        pytest.skip("the model has no calibration")
    folder = model if os.path.exists(f"{model}/calibration.json") else f"{model}/model"
    with open(f"{folder}/calibration.json") as file:
        cuts = json.load(file)["cuts"]
    found = {(name, risk): encoder.confidence_at_risk(risk, name)
             for name in ("platt", "logistic", "isotonic") for risk in (0.001, 0.1, 0.2, 0.35)}
    assert found == {(name, risk): confidence_of_cuts(cuts[name], risk) for name, risk in found}
    assert None in found.values() and len({found[name, 0.35] for name in cuts if name != "direction"}) == 3
    assert encoder.confidence_at_risk(0.35) == found["platt", 0.35]


@pytest.mark.parametrize("calibrator", [None, "platt", "logistic", "isotonic"])
def test_hits_have_the_probability_of_the_calibrator(encoder, calibrator):
    if not encoder.is_calibrated:
        pytest.skip("the model has no calibration")
    queries, corpus = encoder.encode(A), encoder.encode(B)
    for query, hits in enumerate(encoder.search(queries, corpus, top_k=4, calibrator=calibrator)):
        rows = corpus[[hit.corpus_id for hit in hits]]
        expected = encoder.probability(rows, queries[[query] * 4], calibrator or "platt")
        found = [hit.probability for hit in hits]
        # Of a search the cosine of the means is not known.
        if calibrator != "logistic":
            np.testing.assert_allclose(found, expected, atol=1e-6)
        assert calibrator in (None, "platt") or not np.allclose(found, encoder.probability(rows, queries[[query] * 4]), atol=1e-3)


def test_calibration_of_other_weights_is_not_used(encoder, model, tmp_path):
    if not encoder.is_calibrated:
        pytest.skip("the model has no calibration")
    folder = model if os.path.exists(f"{model}/calibration.json") else f"{model}/model"
    copy = shutil.copytree(folder, tmp_path / "model")
    (copy / ".gausscse").unlink()
    weights = bytearray((copy / "gausscse.safetensors").read_bytes())
    weights[-4:] = np.float32(0.25).tobytes()
    (copy / "gausscse.safetensors").write_bytes(weights)
    fitted_to = json.loads((copy / "calibration.json").read_text())["weights"]
    with pytest.warns(UserWarning, match=f"fitted to other weights.*{fitted_to}"):
        other = gausscse.Encoder(copy)
    assert not other.is_calibrated
    for ask in (lambda: other.probability(A, B), lambda: other.confidence_at_risk(0.05)):
        with pytest.raises(ValueError, match="fitted to other weights"):
            ask()
    assert [hit.probability for hit in other.search(A[:1], B, top_k=1)[0]] == [None]
    assert len(other.encode(A)) == len(A)


@pytest.mark.parametrize("calibrator", [None, "platt", "isotonic"])
def test_hits_have_the_probability_and_the_verdict_of_the_program(model, hits, tmp_path, calibrator):
    pairs = [json.loads(line) for line in open(hits.parent / "facts/test.jsonl")]
    evidence = list(dict.fromkeys(pair["sentence1"] for pair in pairs))
    claims = [pair["sentence2"] for pair in pairs[:60]]
    options = ["--calibrator", calibrator] if calibrator else []
    printed = json.loads(run("search", model, lines(tmp_path / "evidence.txt", evidence), lines(tmp_path / "claims.txt", claims),
                             "--top", 2, "--calibration", hits, "--risk", 0.1, "--precision", "fp32", "--json", "-", *options))
    exact = gausscse.Encoder(model, precision="fp32", calibration=hits)
    found = [hit for of_claim in exact.search(claims, evidence, top_k=2, risk=0.1, calibrator=calibrator) for hit in of_claim]
    assert [(hit.corpus_id, hit.verdict) for hit in found] == [(hit["row"], hit["verdict"]) for hit in printed["hits"]]
    assert {hit.verdict for hit in found} == {"found", "abstains", None}
    for hit, row in zip(found, printed["hits"]):
        assert (hit.probability is None) == (row["rank"] == 2) == (row["probability"] is None)
        assert hit.probability is None or abs(hit.probability - row["probability"]) < 1e-4
    assert all(hit.verdict is None for hit in exact.search(claims[:1], evidence)[0])
    # The calibration of pairs still serves pairs.
    if gausscse.Encoder(model).is_calibrated:
        assert np.array_equal(exact.probability(A, B), gausscse.Encoder(model, precision="fp32").probability(A, B))


def test_pairs_and_hits_unlike_those_of_the_calibration_cause_one_warning(encoder, model, hits):
    with pytest.warns(UserWarning, match="the corpus has 12 rows, but the calibration was fitted on hits among 598") as caught:
        gausscse.Encoder(model, calibration=hits).search(A, B * 3)
    assert [warning.filename for warning in caught] == [__file__]
    if not encoder.is_calibrated:
        pytest.skip("the model has no calibration")
    for ask in (encoder.probability, lambda first, second: encoder.score(first, second, risk=0.1)):
        # Unlike the hits of a search, given pairs may also be too similar.
        with pytest.warns(UserWarning, match=r"400 pairs unlike those of .*the logit of sim\(second..first\) is \S+ higher") as caught:
            ask(A[:1] * 400, A[:1] * 400)
        assert [warning.filename for warning in caught] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encoder.probability(["A dog is running on a beach."], ["An animal is outside."])


def test_calibrations_of_hits_are_refused_in_words(encoder, model, hits, tmp_path):
    calibrated = gausscse.Encoder(model, calibration=hits)
    with pytest.raises(ValueError, match="risk needs a calibration of hits"):
        encoder.search(A, B, risk=0.1)
    with pytest.raises(ValueError, match="risk is 1"):
        calibrated.search(A, B, risk=1)
    with pytest.raises(ValueError, match='direction "both"'):
        calibrated.search(A, B, direction="both")
    with pytest.raises(FileNotFoundError, match="none.json"):
        gausscse.Encoder(model, calibration=tmp_path / "none.json")
    (tmp_path / "no.json").write_text("{}")
    with pytest.raises(ValueError, match='"format" is missing'):
        gausscse.Encoder(model, calibration=tmp_path / "no.json")


def test_lengths_of_the_logistic_calibrator_are_those_of_the_program(encoder, model, tmp_path):
    """Lengths are those of characters, not of bytes; of Embeddings on one side or on both they are not known."""
    if not encoder.is_calibrated:
        pytest.skip("the model has no calibration")
    first, second = ["Über ein Fußbällchen springt ein Hündchen.", "A dog runs."], ["Hündchen", "Dürre Öfen glühen überall."]
    pairs = lines(tmp_path / "pairs.tsv", [f"{a}\t{b}" for a, b in zip(first, second)])
    printed = run("score", model, pairs, "--probability", "--calibrator", "logistic", "--precision", "fp32")
    exact = gausscse.Encoder(model, precision="fp32")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_allclose(exact.probability(first, second, "logistic"),
                                   [float(line.split("\t")[3]) for line in printed.splitlines()], rtol=0, atol=2e-6)
        a, b = exact.encode(first), exact.encode(second)
        without = exact.probability(a, b, "logistic")
        assert not np.allclose(without, exact.probability(first, second, "logistic"), atol=1e-3)
        for mixed in ((a, second), (first, b)):
            assert np.array_equal(exact.probability(*mixed, "logistic"), without)
            assert np.array_equal(exact.score(*mixed, risk=0.4, calibrator="logistic").probability, without)


def test_a_cosine_has_no_directions(tmp_path):
    words = {"a": [1, 0], "cat": [0, 3], "dog": [2, 1], "sleeps": [-1, 2]}
    (tmp_path / "words.txt").write_text("".join(f"{word} {x} {y}\n" for word, (x, y) in words.items()))
    pairs = [(f"{one} {two} {i}", one if entails else two, "entailment" if entails else "neutral")
             for i, (one, two, entails) in enumerate((one, two, entails) for one in words for two in words for entails in (1, 0))]
    lines(tmp_path / "dev.tsv", ["premise\thypothesis\tlabel", *("\t".join(pair) for pair in pairs)])
    run("eval", tmp_path / "words.txt", "--dev", tmp_path / "dev.tsv", "--save-calibration", tmp_path / "c.json")
    model = gausscse.Encoder(tmp_path / "words.txt", calibration=tmp_path / "c.json")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = model.score(["a cat", "dog"], ["a dog", "sleeps"], risk=0.4)
    assert scores.direction is None and len(scores.verdict) == 2
