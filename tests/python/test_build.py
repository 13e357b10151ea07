"""The CMake files of `pip install .` without an installed library, and with one that is not there. Nothing is compiled."""
import os
import subprocess
import sys

from conftest import ROOT


def configured(folder, *options):
    variables = dict(os.environ, PATH=os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"])
    return subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, "-DGAUSSCSE_PYTHON=ON", "-DGAUSSCSE_STUDIES=OFF",
                           "-DGAUSSCSE_TESTS=OFF", "-DGAUSSCSE_BENCHMARKS=OFF", f"-DPython_EXECUTABLE={sys.executable}",
                           *options], capture_output=True, text=True, env=variables)


def test_without_an_installed_library_its_sources_are_compiled(tmp_path):
    found = configured(tmp_path)
    assert found.returncode == 0 and "gausscse: installed" not in found.stdout, found
    plan = subprocess.run(["ninja", "-C", tmp_path, "-n", "-v", "gausscse_python"], check=True, capture_output=True,
                          text=True).stdout
    for part in ("python/module.cpp", "gausscse_training.dir", "gausscse_search.dir", "gausscse_inference.dir", "gausscse_kernels_avx2.dir"):
        assert part in plan, plan
    assert "gausscse_commands.dir" not in plan


def test_a_library_that_is_named_must_be_there(tmp_path):
    found = configured(tmp_path / "build", f"-Dgausscse_DIR={tmp_path}")
    assert found.returncode != 0 and "gausscseConfig.cmake" in found.stderr, found
