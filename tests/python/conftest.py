"""The README's model, trained once by the program: GAUSSCSE_PROGRAM names it, GAUSSCSE_MODEL another model to test with."""
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("GAUSSCSE_PROGRAM", str(ROOT / "build/cpu/gausscse"))


def run(*words):
    return subprocess.run([PROGRAM, *map(str, words), "--quiet"], check=True, capture_output=True, text=True).stdout


def installed_for_tests(name):
    """Adds a folder of packages that scripts/setup.sh --tests installs for the tests."""
    cache = pathlib.Path(os.environ.get("GAUSSCSE_CACHE", "~/.cache/gausscse")).expanduser()
    sys.path += [str(folder) for folder in cache.glob(name) if str(folder) not in sys.path]


@pytest.fixture(scope="session")
def hits(model, tmp_path_factory):
    """A calibration of hits that docs/grounding.md fits, in runs/grounding next to the README's model."""
    runs = pathlib.Path(model).parent if "GAUSSCSE_MODEL" not in os.environ else tmp_path_factory.mktemp("runs")
    folder = runs / "grounding"
    folder.mkdir()
    run("generate", folder / "facts", "--train", 9, "--dev", 1800, "--test", 1200, "--seed", 5)
    run("eval", model, "--retrieval", f"dev={folder / 'facts/dev.jsonl'}", "--save-calibration", folder / "hits.json")
    return folder / "hits.json"


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    if "GAUSSCSE_MODEL" in os.environ:
        return os.environ["GAUSSCSE_MODEL"]
    folder = tmp_path_factory.mktemp("root") / "runs"
    folder.mkdir()
    subprocess.run([PROGRAM, "generate", folder / "corpus", "--train", "9000", "--dev", "300", "--test", "600"], check=True)
    files = {name: folder / "corpus" / f"{name}.jsonl" for name in ("train", "dev", "test")}
    run("train", ROOT / "docs/examples/first.yaml", "--set", f"data.train=['{files['train']}']",
        "--set", f"tasks.dev.files='{files['dev']}'", "--set", f"tasks.generated.files='{files['test']}'",
        "--set", f"output='{folder / 'first'}'")
    return str(folder / "first")


@pytest.fixture(scope="session")
def encoder(model):
    import gausscse
    return gausscse.Encoder(model)
