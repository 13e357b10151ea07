"""One model from its training to other programs: calibrated, searched from the command line and from Python with equal
results, exported as ONNX, computed by onnxruntime.
"""
import json
import subprocess

import numpy as np
import pytest

import gausscse
from conftest import PROGRAM, installed_for_tests, run
from test_encoder import lines, per_dimension


@pytest.fixture(scope="module")
def sentences(tmp_path_factory):
    """Returns the premises of a generated corpus, and the hypotheses that four of them entail."""
    folder = tmp_path_factory.mktemp("story")
    subprocess.run([PROGRAM, "generate", folder, "--train", "300", "--dev", "300", "--test", "300"], check=True)
    pairs = [json.loads(line) for line in (folder / "test.jsonl").read_text().splitlines()]
    entailed = [pair["sentence2"] for pair in pairs if pair["gold_label"] == "entailment"]
    return list(dict.fromkeys(pair["sentence1"] for pair in pairs)), entailed[:4]


@pytest.fixture(scope="module")
def encoder(model):
    return gausscse.Encoder(model, precision="fp32")


@pytest.mark.parametrize("direction", ["entails", "entailed-by", "both"])
def test_a_search_is_the_same_from_the_command_line_and_from_python(encoder, model, sentences, tmp_path, direction):
    assert encoder.is_calibrated
    evidence, claims = sentences
    printed = [line.split("\t") for line in
               run("search", model, lines(tmp_path / "evidence.txt", evidence), lines(tmp_path / "claims.txt", claims),
                   "--top", 5, "--direction", direction, "--precision", "fp32").splitlines()]
    hits = [(query, rank, hit) for query, found in enumerate(encoder.search(claims, evidence, top_k=5, direction=direction))
            for rank, hit in enumerate(found, 1)]
    assert len(printed) == 20
    assert [[query, rank, hit.corpus_id, evidence[hit.corpus_id]] for query, rank, hit in hits] == \
        [[*map(int, row[:3]), row[7]] for row in printed]
    # Six decimals are printed, of numbers whose last bits may differ.
    np.testing.assert_allclose([[hit.query_given_row, hit.row_given_query, hit.probability, hit.log_var_difference]
                                for _, _, hit in hits], [list(map(float, row[3:7])) for row in printed], rtol=0, atol=2e-6)


def test_onnxruntime_computes_the_same(encoder, model, sentences, tmp_path):
    installed_for_tests("onnxruntime-*")
    installed_for_tests("safetensors-*-tokenizers-*")
    onnxruntime = pytest.importorskip("onnxruntime", reason="no onnxruntime: scripts/setup.sh --tests installs it")
    tokenizers = pytest.importorskip("tokenizers", reason="no tokenizers: scripts/setup.sh --tests installs it")
    run("export", model, tmp_path / "onnx", "--as", "onnx")
    tokenizer = tokenizers.Tokenizer.from_file(str(tmp_path / "onnx" / "tokenizer.json"))
    tokenizer.enable_truncation(encoder.max_seq_length)
    tokenizer.enable_padding()
    session = onnxruntime.InferenceSession(tmp_path / "onnx" / "model.onnx", providers=["CPUExecutionProvider"])

    def computed(texts):
        encodings = tokenizer.encode_batch(texts)
        inputs = {"input_ids": [encoding.ids for encoding in encodings],
                  "attention_mask": [encoding.attention_mask for encoding in encodings]}
        return gausscse.Embeddings(*session.run(["mean", "log_var"], {name: np.array(rows, np.int64)
                                                                       for name, rows in inputs.items()}))

    evidence, claims = sentences
    rows, queries = computed(evidence), computed(claims)
    for given, own in ((rows, encoder.encode(evidence)), (queries, encoder.encode(claims))):
        np.testing.assert_allclose(given.mean, own.mean, atol=1e-4)
        np.testing.assert_allclose(given.log_var, own.log_var, atol=1e-4)
    similarities = per_dimension(queries, rows)
    for similarity, hits in zip(similarities, encoder.search(claims, evidence, top_k=3)):
        best = np.sort(similarity)[::-1][:3]
        np.testing.assert_allclose([hit.score for hit in hits], best, atol=1e-4)
        np.testing.assert_allclose(similarity[[hit.corpus_id for hit in hits]], best, atol=1e-4)
