"""Compares `gausscse encode` with sentence-transformers on a model that gausscse saved: both open the same folder.

    python tests/golden/compare_sentence_transformers.py --program build/cpu/gausscse --model runs/first/model \
        --sentences runs/sentences.txt

The log-variance of a Gaussian model is compared where its trial has model.sentence_transformers: mean_and_log_var. Means of a
head that scales them are compared at the length 1.
Needs sentence-transformers (6.2), h5py and numpy. Sentences must have no white space at their ends, which
sentence-transformers strips. Fails where an embedding, or a mean or log-variance, differs by more than 1e-5.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy
from sentence_transformers import SentenceTransformer

TOLERANCE = 1e-5


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--sentences", required=True)
    given = parser.parse_args()
    sentences = pathlib.Path(given.sentences).read_text(encoding="utf-8").splitlines()
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "embeddings.h5"
        subprocess.run([given.program, "-q", "encode", given.model, given.sentences, output, "--precision", "fp32"], check=True)
        with h5py.File(output) as file:
            if "embedding" in file:
                ours = {"sentence_embedding": file["embedding"][:]}
            else:
                ours = {"sentence_embedding": file["mean"][:], "log_variance": file["log_var"][:]}
    modules = json.loads((pathlib.Path(given.model) / "modules.json").read_text())
    if not any(module["path"].endswith("_LogVariance") for module in modules):
        ours.pop("log_variance", None)
    if any(module["type"].endswith(".Normalize") for module in modules):
        ours["sentence_embedding"] /= numpy.linalg.norm(ours["sentence_embedding"], axis=1, keepdims=True)
    model = SentenceTransformer(given.model, device="cpu")
    failed = False
    for name, of_name in ours.items():
        theirs = model.encode(sentences, output_value=name, convert_to_numpy=False)
        theirs = numpy.stack([row.numpy() for row in theirs])
        difference = numpy.abs(of_name - theirs).max()
        print(f"{name}: {len(of_name)} sentences of {of_name.shape[1]} dimensions, largest value "
              f"{numpy.abs(theirs).max():.4f}, largest difference {difference:.2e}")
        failed = failed or of_name.shape != theirs.shape or not difference <= TOLERANCE
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
