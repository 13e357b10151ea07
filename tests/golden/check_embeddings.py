#!/usr/bin/env python3
"""Opens with numpy, h5py and safetensors what `gausscse encode` writes, and compares all with the mean of word vectors.
Needs numpy, h5py and safetensors 0.8 (scripts/setup.sh); ends with 77, which ctest calls skipped, where they are missing.

    python tests/golden/check_embeddings.py build/cpu/gausscse
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy
    from safetensors import safe_open
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

ATTRIBUTES = {"format": "gausscse-embeddings/1", "similarity": "cosine", "precision": "fp32", "max_tokens": "none",
              "cut_sentences": "0"}


def check_attributes(found, model):
    found = {name: str(value) for name, value in found.items()}
    assert {name: found[name] for name in ATTRIBUTES} == ATTRIBUTES, found
    assert found["model"] == model and len(found["model_hash"]) == 32 and found["version"], found


def main():
    draw = random.Random(5)
    words = {f"w{i}": [round(draw.gauss(0, 1), 4) for _ in range(7)] for i in range(50)}
    lines = [[draw.choice(list(words)) for _ in range(draw.randint(1, 9))] for _ in range(5000)]
    expected = numpy.array([numpy.float32([words[word] for word in line]).astype(float).mean(axis=0) for line in lines])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = str(folder / "vectors.txt")
        (folder / "vectors.txt").write_text(
            "".join(" ".join([word, *map(str, values)]) + "\n" for word, values in words.items()))
        (folder / "in.txt").write_text("".join(" ".join(line) + "\n" for line in lines))
        for suffix in ("npy", "npz", "h5", "safetensors"):
            subprocess.run([sys.argv[1], "encode", model, folder / "in.txt", folder / f"out.{suffix}", "--quiet"],
                           check=True)
        arrays = {"npy": numpy.load(folder / "out.npy")}
        with numpy.load(folder / "out.npz") as file:
            assert sorted((name, file[name].ndim) for name in file.files) == [("attributes", 1), ("embedding", 2)]
            assert file.zip.testzip() is None
            arrays["npz"] = file["embedding"]
            check_attributes(json.loads(file["attributes"].tobytes()), model)
        with h5py.File(folder / "out.h5") as file:
            arrays["h5"] = file["embedding"][:]
            check_attributes(file.attrs, model)
            assert file.attrs["cut_sentences"].dtype == numpy.int64
        with safe_open(folder / "out.safetensors", "numpy") as file:
            arrays["safetensors"] = file.get_tensor("embedding")
            check_attributes(file.metadata(), model)
        for suffix, array in arrays.items():
            assert array.dtype == numpy.float32 and array.shape == expected.shape, (suffix, array.shape)
            assert numpy.array_equal(array, arrays["npy"]), suffix
        assert numpy.abs(arrays["npy"] - expected).max() < 1e-6
    print(f"{len(arrays)} files of {len(lines)} embeddings agree")


if __name__ == "__main__":
    main()
