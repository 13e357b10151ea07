"""A small model, trained once by the program: GAUSSCSE_PROGRAM names it, GAUSSCSE_MODEL another model to test with."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("GAUSSCSE_PROGRAM", str(ROOT / "build/cpu/gausscse"))


def run(*words):
    return subprocess.run([PROGRAM, *map(str, words), "--quiet"], check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    if "GAUSSCSE_MODEL" in os.environ:
        return os.environ["GAUSSCSE_MODEL"]
    folder = tmp_path_factory.mktemp("run")
    subprocess.run([PROGRAM, "generate", folder / "corpus", "--train", "600", "--dev", "300", "--test", "300"], check=True)
    files = {name: folder / "corpus" / f"{name}.jsonl" for name in ("train", "dev", "test")}
    run("train", ROOT / "docs/examples/first.yaml", "--set", f"data.train=['{files['train']}']",
        "--set", f"tasks.dev.files='{files['dev']}'", "--set", f"tasks.generated.files='{files['test']}'",
        "--set", "training.max_steps=10", "--set", f"output='{folder / 'first'}'")
    return str(folder / "first")
