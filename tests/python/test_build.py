"""The parts of the package: it needs neither LibTorch, MPI nor HDF5 of the machine."""
import os
import re
import subprocess
import sys

from conftest import ROOT
from gausscse import _gausscse

# What auditwheel puts into a wheel, or allows a wheel to ask for.
ALLOWED = {"libaec", "libc", "libgomp", "libicuuc", "libm", "libsz", "libxxhash", "libz", "libzstd", "ld-linux-x86-64"}


def lines_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def test_the_extension_asks_for_few_libraries_and_shows_one_function():
    asked = {re.search(r"\[(lib[a-z+]*|ld-linux-x86-64)", line)[1] for line in lines_of("readelf", "-d", _gausscse.__file__) if "(NEEDED)" in line}
    assert "libc" in asked and asked <= ALLOWED, asked - ALLOWED
    assert [line.split()[-1] for line in lines_of("nm", "-D", "--defined-only", _gausscse.__file__)] == ["PyInit__gausscse"]


def test_its_sources_are_compiled_without_the_program(tmp_path):
    variables = dict(os.environ, PATH=os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"])
    subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", tmp_path, "-DGAUSSCSE_PYTHON=ON", "-DGAUSSCSE_STUDIES=OFF",
                    "-DGAUSSCSE_TESTS=OFF", "-DGAUSSCSE_BENCHMARKS=OFF", f"-DPython_EXECUTABLE={sys.executable}"],
                   check=True, capture_output=True, env=variables)
    plan = "\n".join(lines_of("ninja", "-C", tmp_path, "-n", "-v", "gausscse_python"))
    for part in ("python/module.cpp", "gausscse_tensor.dir", "gausscse_training.dir", "gausscse_inference.dir"):
        assert part in plan, plan
    for part in ("gausscse_commands.dir", "gausscse_mpi_collectives.dir", "ATen/ops/empty.h"):
        assert part not in plan
