"""The package in one process with PyTorch, which may be imported before or after it: both compute what they compute alone."""
import os
import pathlib
import subprocess
import sys

import pytest

COMPUTE = """
import sys
import numpy as np
import gausscse

def compute():
    embeddings = gausscse.Encoder(sys.argv[1], precision="fp32").encode(["A cat sleeps on a chair.", "An animal sleeps."])
    return np.concatenate([embeddings.mean, embeddings.log_var], axis=1)
"""


def computed(model, code, *arguments):
    found = subprocess.run([sys.executable, "-c", code, str(model), *map(str, arguments)], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_libtorch_whose_names_all_see_changes_nothing(model, tmp_path):
    cache = pathlib.Path(os.environ.get("GAUSSCSE_CACHE", "~/.cache/gausscse")).expanduser()
    found = os.environ.get("LIBTORCH_ROOT") or next(iter(sorted(cache.glob("libtorch-*/torch"))), None)
    if not found:
        pytest.skip("no LibTorch: scripts/setup.sh installs it")
    library = pathlib.Path(found) / "lib/libtorch_cpu.so"
    load = "import ctypes; ctypes.CDLL(sys.argv[2], mode=ctypes.RTLD_GLOBAL)\n"
    printed = [computed(model, code, library) for code in (
        COMPUTE + "print(compute().tobytes().hex())",
        "import sys; " + load + COMPUTE + "print(compute().tobytes().hex())",
        COMPUTE + "first = compute()\n" + load + "assert np.array_equal(compute(), first)\nprint(first.tobytes().hex())")]
    assert len(printed[0]) > 1000 and printed[0] == printed[1] == printed[2]


@pytest.mark.parametrize("order", ["torch first", "gausscse first"])
def test_sentence_transformers_computes_the_same_beside_it(order):
    pytest.importorskip("sentence_transformers", reason="no sentence-transformers: pip install it into build/python-venv")
    backbone = pathlib.Path(__file__).resolve().parents[2] / "models/minilm"
    if not backbone.is_dir():
        pytest.skip("no models/minilm: scripts/fetch_minilm.sh fetches it")
    torch = "import torch, sentence_transformers\n"
    computed(backbone, (torch + COMPUTE if order == "torch first" else COMPUTE + torch) + """
texts = ["A cat sleeps on a chair.", "An animal sleeps."]
theirs = sentence_transformers.SentenceTransformer(sys.argv[1], device="cpu").encode(texts, normalize_embeddings=True)
ours = gausscse.Encoder(sys.argv[1], precision="fp32").encode(texts).mean
np.testing.assert_allclose(ours / np.linalg.norm(ours, axis=1, keepdims=True), theirs, atol=2e-6)
product = torch.ones(300, 300) @ torch.ones(300, 300)
assert bool((product == 300).all())
""")
