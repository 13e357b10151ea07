"""Keeps a second LibTorch out of the process.

Two copies of LibTorch in one process share names of functions and settings of threads. The process then crashes, or
computes with the wrong one. So the package refuses to be imported after another copy, and `import torch` is refused after it
unless it brings the same copy.
"""

import importlib.abc
import importlib.machinery
import os
import pathlib
import sys

from ._build import LIBTORCH

_REMEDY = ("use a process for each of the two, or build gausscse with the LibTorch of that PyTorch: "
           "LIBTORCH_ROOT=<folder of torch> pip install .")


def _is_ours(path):
    try:
        return os.path.samefile(path, LIBTORCH)
    except OSError:
        return False


def loaded_copies(maps="/proc/self/maps"):
    """Returns the paths of the copies of libtorch_cpu.so in this process."""
    try:
        lines = pathlib.Path(maps).read_text(errors="surrogateescape").splitlines()
    except OSError:
        return []
    paths = (line.split(maxsplit=5)[5] for line in lines if "/libtorch_cpu.so" in line)
    return sorted(set(path.removesuffix(" (deleted)") for path in paths))


def refuse_another():
    """Raises ImportError if another LibTorch than that of the build is loaded, or that of the build is missing."""
    if not os.path.exists(LIBTORCH):
        raise ImportError(f"{LIBTORCH}: gausscse was built with this LibTorch, which is no longer there: "
                          "install the package again (pip install .)")
    for path in loaded_copies():
        if not _is_ours(path):
            raise ImportError(f"gausscse cannot be imported: {path}: this process has loaded another LibTorch than "
                              f"gausscse was built with ({LIBTORCH}): {_REMEDY}")


class _Guard(importlib.abc.MetaPathFinder):
    """Finder that finds nothing, and refuses a `torch` with another LibTorch."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        for folder in (spec.submodule_search_locations or []) if spec else []:
            library = os.path.join(folder, "lib", "libtorch_cpu.so")
            if os.path.exists(library) and not _is_ours(library):
                raise ImportError(f"torch cannot be imported: {library}: gausscse has loaded another LibTorch "
                                  f"({LIBTORCH}) into this process: {_REMEDY}")
        return None


def guard_imports():
    """Refuses another LibTorch from now on."""
    if not any(isinstance(finder, _Guard) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Guard())
