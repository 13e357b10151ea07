#!/usr/bin/env python3
"""Runs ONNX files of small encoders of every family, pooling and head with onnxruntime, and compares the outputs with the
encoders' own, padded and not. Needs numpy and onnxruntime 1.32 (scripts/setup.sh --tests); ends with 77, which ctest calls
skipped, where they are missing.

    python tests/golden/check_onnx.py build/cpu/tests/model/onnx/write_onnx_cases
"""

import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
    import onnxruntime
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

TOLERANCE = 1e-4
FAMILIES = ("bert", "roberta", "xlm-roberta", "mpnet", "distilbert", "modernbert", "nomic_bert")
POOLINGS = ("first_token", "mean", "mean_without_first", "max")


def padded(sentences, pad, columns):
    ids = numpy.full((len(sentences), columns), pad, numpy.int64)
    mask = numpy.zeros_like(ids)
    for row, sentence in enumerate(sentences):
        ids[row, :len(sentence)] = sentence
        mask[row, :len(sentence)] = 1
    return {"input_ids": ids, "attention_mask": mask}


def check(folder, name):
    case = json.loads((folder / f"{name}.json").read_text())
    session = onnxruntime.InferenceSession(str(folder / f"{name}.onnx"), providers=["CPUExecutionProvider"])
    assert [value.name for value in session.get_inputs()] == ["input_ids", "attention_mask"]
    assert [value.name for value in session.get_outputs()] == list(case["outputs"]), name
    assert session.get_modelmeta().custom_metadata_map == {"similarity": "joint", "empty": ""}
    ids, pad = case["ids"], case["pad"]
    longest = max(map(len, ids))
    worst = 0.0
    # Together, with padding; one by one, without; and with padding that is not the model's.
    runs = [session.run(None, padded(ids, pad, longest)),
            [numpy.concatenate(rows) for rows in
             zip(*(session.run(None, padded([sentence], pad, len(sentence))) for sentence in ids))],
            session.run(None, padded(ids, 5, longest))]
    for outputs in runs:
        for expected, output in zip(case["outputs"].values(), outputs):
            expected = numpy.array(expected)
            assert output.dtype == numpy.float32 and output.shape == expected.shape, (name, output.shape)
            worst = max(worst, float(numpy.abs(output - expected).max()))
    assert worst <= TOLERANCE, (name, worst)
    assert min(numpy.array(rows).std(axis=0).max() for rows in case["outputs"].values()) > 0.1, name
    return worst


def main():
    names = [f"{family}-{pooling}" for family in FAMILIES for pooling in POOLINGS] + ["linear", "mlp_tanh", "none", "far"]
    names += [f"layers-{number}" for number in range(4)]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([sys.argv[1], folder], check=True)
        assert sorted(path.stem for path in folder.glob("*.onnx")) == sorted(names)
        worst = max(check(folder, name) for name in names)
    print(f"{len(names)} models agree with onnxruntime {onnxruntime.__version__}, largest difference {worst:.1e}")


if __name__ == "__main__":
    main()
