#!/usr/bin/env python3
"""Compares the version that pages and CITATION.cff name with the one that CMakeLists.txt gives the program, the archive,
the library and the Python package. With PROGRAM also what that prints.

    version_test.py [PROGRAM]
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def found(name, pattern):
    """Returns all texts that the pattern's group matches in a file; there must be one."""
    texts = re.findall(pattern, (ROOT / name).read_text(), flags=re.M)
    assert texts, f"{name} has nothing like {pattern}"
    return texts


def main():
    [version] = found("CMakeLists.txt", r"^project\(gausscse VERSION (\S+) ")
    entries = found("CHANGELOG.md", r"^## (.*)$")
    entry = entries[entries[0] == f"Since {version}, not released yet"]
    released = re.fullmatch(r"(\S+), (\d{4}-\d\d-\d\d)", entry)
    assert released, f"CHANGELOG.md begins with {entry!r}"
    assert released[1] == version, (released[1], version)
    assert found("CITATION.cff", r"^date-released: (.*)$") == [released[2]]
    for name, pattern in [("CITATION.cff", r"^version: (.*)$"), ("README.md", r"^\*\*Status:\*\* (\d[.\d]*\d)"),
                          ("docs/installing.md", r"gausscse[-/](\d+\.\d+\.\d+)")]:
        assert set(found(name, pattern)) == {version}, (name, version)
    assert 'dynamic = ["version"]' in (ROOT / "pyproject.toml").read_text()
    for program in sys.argv[1:]:
        printed = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
        assert printed.startswith(f"gausscse {version}"), (printed, version)
    print(f"version {version}")


if __name__ == "__main__":
    main()
