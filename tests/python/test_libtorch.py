"""Another LibTorch in the process is refused, whichever comes first. A small library under its name plays it."""
import subprocess
import sys

import _ctypes

from gausscse._build import LIBTORCH
from gausscse._libtorch import loaded_copies


def another(folder):
    (folder / "torch/lib").mkdir(parents=True)
    (folder / "torch/__init__.py").write_text("")
    library = folder / "torch/lib/libtorch_cpu.so"
    library.write_bytes(open(_ctypes.__file__, "rb").read())
    return library


def refused(code, *paths):
    found = subprocess.run([sys.executable, "-c", code, *map(str, paths)], capture_output=True, text=True)
    assert found.returncode == 1, found
    return found.stderr.strip().splitlines()[-1]


def test_after_another_copy_the_package_is_refused(tmp_path):
    library = another(tmp_path)
    line = refused("import ctypes, sys; ctypes.PyDLL(sys.argv[1]); import gausscse", library)
    assert line.startswith("ImportError: gausscse cannot be imported") and str(library) in line and LIBTORCH in line


def test_after_the_package_another_copy_is_refused(tmp_path):
    library = another(tmp_path)
    line = refused("import sys; import gausscse; sys.path.insert(0, sys.argv[1]); import torch", tmp_path)
    assert line.startswith("ImportError: torch cannot be imported") and str(library) in line and LIBTORCH in line


def test_a_torch_of_the_same_copy_and_other_modules_may_follow(tmp_path):
    library = another(tmp_path)
    library.unlink()
    library.symlink_to(LIBTORCH)
    subprocess.run([sys.executable, "-c", "import sys; import gausscse, json; sys.path.insert(0, sys.argv[1]); import torch",
                    str(tmp_path)], check=True)


def test_the_copy_of_the_build_is_the_only_one():
    import gausscse  # noqa: F401
    assert len(loaded_copies()) == 1
