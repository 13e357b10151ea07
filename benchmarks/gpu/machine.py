"""Parts of the machine: LibTorch, a GPU and its driver."""

import ctypes
import importlib.util
import os
import pathlib
import re
import shutil

TORCH_VERSION = "2.11.0"


def find_libtorch():
    """The folder with lib/ of LIBTORCH_ROOT, or else of the wheel that this Python would import; None if there is none.

    The wheel is not imported, which takes seconds.
    """
    given = os.environ.get("LIBTORCH_ROOT")
    if given:
        folder = pathlib.Path(given)
    else:
        wheel = importlib.util.find_spec("torch")
        if wheel is None or not wheel.submodule_search_locations:
            return None
        folder = pathlib.Path(wheel.submodule_search_locations[0])
    return folder.resolve() if (folder / "lib" / "libtorch_cpu.so").exists() else None


def libtorch_version(folder):
    """As its wheel tells it, 2.11.0+cu130, or as its archive does; None where neither does."""
    for name, pattern in (("version.py", r"__version__ = '([^']+)'"), ("../build-version", r"(\S+)")):
        path = folder / name
        if path.exists():
            found = re.search(pattern, path.read_text(encoding="utf-8"))
            if found:
                return found.group(1)
    return None


def environment_of(archive, libtorch):
    """Environment of the programs: the folders of their shared objects, and variables that the tests read."""
    # Libraries of our programs are not looked for in the folders that LibTorch's libraries name.
    wheels = sorted(libtorch.parent.glob("nvidia/*/lib"))
    folders = [archive / "lib" / "gausscse", libtorch / "lib", *wheels]
    given = os.environ.get("LD_LIBRARY_PATH")
    return {
        **os.environ,
        "LD_LIBRARY_PATH": ":".join([str(folder) for folder in folders] + ([given] if given else [])),
        "GAUSSCSE_TEST_GOLDEN": str(archive / "tests" / "golden"),
        # cuBLAS has the same bits from run to run then.
        "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
    }


def environment_of_mpirun(archive):
    """Environment of the archive's mpirun, besides the programs': the folders of Open MPI's files."""
    return {
        "OPAL_PREFIX": str(archive),
        "OMPI_MCA_mca_base_component_path": str(archive / "lib" / "gausscse" / "openmpi"),
        # It misses a component that compresses, which nobody needs on one host.
        "PMIX_MCA_pcompress_base_silence_warning": "1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }


def first_gpu():
    """The first GPU as its driver tells it, or None where there is no driver or no GPU."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    device, count, version = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0 or count.value == 0:
        return None
    name, memory = ctypes.create_string_buffer(256), ctypes.c_size_t()
    if driver.cuDeviceGet(ctypes.byref(device), 0) != 0 or driver.cuDeviceGetName(name, len(name), device) != 0:
        return None
    driver.cuDeviceTotalMem_v2(ctypes.byref(memory), device)
    driver.cuDriverGetVersion(ctypes.byref(version))
    return {
        "gpu": name.value.decode(errors="replace"),
        "gpus": count.value,
        "gpu_memory_mb": memory.value >> 20,
        "driver": driver_release(),
        "driver_cuda": f"{version.value // 1000}.{version.value % 1000 // 10}",
    }


def driver_release():
    """Such as 580.65.06, or None."""
    try:
        text = pathlib.Path("/proc/driver/nvidia/version").read_text(encoding="utf-8")
    except OSError:
        return None
    found = re.search(r"(?<![\w.])\d{3,}\.\d+(?:\.\d+)?", text)
    return found.group(0) if found else None


def compute_sanitizer():
    """Its path, or None: it comes with CUDA's toolkit, not with LibTorch's wheels."""
    return shutil.which("compute-sanitizer") or shutil.which(
        "compute-sanitizer", path="/usr/local/cuda/bin:/usr/local/cuda/compute-sanitizer"
    )


def profiler():
    """The path of ncu, or None: it comes with CUDA's toolkit, or by itself below /opt/nvidia."""
    folders = ["/usr/local/cuda/bin", *map(str, sorted(pathlib.Path("/opt/nvidia/nsight-compute").glob("*"), reverse=True))]
    return shutil.which("ncu") or shutil.which("ncu", path=":".join(folders))
