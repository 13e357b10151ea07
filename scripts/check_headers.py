#!/usr/bin/env python3
"""Checks that every header of the project compiles alone, with clang.

    check_headers.py [--changed] [--base COMMIT] [BUILD]      a configured build folder; build/cpu by default

With --changed only the headers are compiled that differ from COMMIT, or include one that does, through others too: all other
headers read what they read there. COMMIT is by default where the branch left origin/main or main, else the commit before.

A file of a chain of headers is compiled, where each header includes those before it: a header includes them anyway, so
that they can hide nothing that it fails to include. For the same reason what takes long to read, as LibTorch's tensors do,
is precompiled for the headers that include it, and for no others. Headers of python/ are left out: they include nanobind, which
only the build of the package has. So are those of model/tensor, whose names are LibTorch's.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

COMPILER = "clang++-14"
# Headers that are precompiled, the longest to read first. A header takes the first of these that it includes whole.
PRECOMPILED = [["ATen/core/Tensor.h", "gtest/gtest.h"], ["ATen/core/Tensor.h", "nlohmann/json.hpp"],
               ["ATen/core/Tensor.h", "string", "vector"], ["ATen/core/Tensor.h"], ["nlohmann/json.hpp", "string", "vector"],
               ["tests/support/testing.hpp"], ["gtest/gtest.h", "string", "vector"], ["filesystem", "string", "vector"], ["string", "vector"], ["string"]]


def flags_of(build):
    """Flags that say what headers mean: the language, paths and definitions of all targets with LibTorch."""
    with open(build / "compile_commands.json", encoding="utf-8") as file:
        commands = [shlex.split(entry["command"]) for entry in json.load(file)]
    flags, defined = {}, set()
    for words in commands:
        if "-DGAUSSCSE_WITHOUT_LIBTORCH" in words:
            continue
        for word, following in zip(words, words[1:] + [""]):
            if word in ("-isystem", "-idirafter"):
                flags[(word, following)] = None
            elif word.startswith(("-I", "-std=")):
                flags[(word,)] = None
            elif word.startswith("-D") and word.split("=")[0] not in defined:
                defined.add(word.split("=")[0])
                flags[(word,)] = None
    return ["-I."] + [word for flag in flags for word in flag]


def git(*words):
    run = subprocess.run(["git", *words], capture_output=True, text=True)
    return run.stdout.strip() if run.returncode == 0 else None


def default_base():
    head = git("rev-parse", "HEAD")
    for branch in ("origin/main", "main"):
        base = git("merge-base", "HEAD", branch)
        if base and base != head:
            return base
    return git("rev-parse", "HEAD~1")


def affected(headers, included, base):
    """Headers that differ from the commit `base`, or include one that does or that is gone; all without a base."""
    listed = git("diff", "--name-only", base, "--", "*.hpp") if base else None
    if listed is None:
        return headers
    new = git("ls-files", "--others", "--exclude-standard", "*.hpp")
    changed = {*listed.split(), *new.split()}

    def differs(name):
        # Some are included by a path from another folder than the root.
        return name in changed or any(path.endswith("/" + name) for path in changed)

    return [header for header in headers if header in changed or any(map(differs, included[header]))]


def included_by(headers):
    """For each header what it includes, through other headers of the project too."""
    direct = {header: set(re.findall(r'^#include [<"]([^>"]+)[>"]', pathlib.Path(header).read_text(encoding="utf-8"),
                                     re.MULTILINE)) for header in headers}

    def gather(header, found):
        for name in direct.get(header, ()):
            if name not in found:
                found.add(name)
                gather(name, found)
        return found

    return {header: gather(header, set()) for header in headers}


def chains_of(included):
    """The headers in lists, each header in one; in a list, each header is included by the next."""
    left = set(included)
    while left:
        chain = []
        candidates = left
        while candidates:
            largest = max(candidates, key=lambda header: (len(included[header]), header))
            chain.insert(0, largest)
            left.discard(largest)
            candidates = left & included[largest]
        yield chain


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--changed", action="store_true")
    parser.add_argument("--base")
    parser.add_argument("build", nargs="?", default="build/cpu")
    given = parser.parse_args()
    build = pathlib.Path(given.build).resolve()
    os.chdir(pathlib.Path(__file__).resolve().parent.parent)
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.hpp", ":!python",
                             ":!model/tensor", ":!tests/model/tensor"], check=True,
                            capture_output=True, text=True).stdout.split()
    headers = [header for header in listed if os.path.exists(header)]
    included = included_by(headers)
    if given.changed:
        headers = affected(headers, included, given.base or default_base())

    def precompiled_for(header):
        return next((number for number, names in enumerate(PRECOMPILED) if included[header].issuperset(names)), None)

    groups = {}
    for header in headers:
        groups.setdefault(precompiled_for(header), []).append(header)
    chains = [chain for group in groups.values() for chain in chains_of({header: included[header] for header in group})]
    command = [COMPILER] + flags_of(build)
    with tempfile.TemporaryDirectory() as folder:
        def precompile(number):
            source = "".join(f"#include <{name}>\n" for name in PRECOMPILED[number])
            subprocess.run(command + ["-fpch-instantiate-templates", "-x", "c++-header", "-", "-o", f"{folder}/{number}"],
                           input=source, text=True, check=True)

        def compile_chain(chain):
            number = precompiled_for(chain[0])
            precompiled = [] if number is None else ["-include-pch", f"{folder}/{number}"]
            source = "".join(f'#include "{header}"\n' for header in chain)
            return subprocess.run(command + precompiled + ["-fsyntax-only", "-x", "c++", "-"], input=source,
                                  capture_output=True, text=True)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(precompile, [number for number in groups if number is not None]))
            results = list(pool.map(compile_chain, chains))
    failed = [result for result in results if result.returncode != 0]
    for result in failed:
        print(result.stderr, file=sys.stderr)
    if failed:
        sys.exit(f"check_headers: {len(failed)} of {len(chains)} lists of headers do not compile alone: "
                 "include what is missing")
    print(f"headers: {len(headers)} compile alone, in {len(chains)} lists")


if __name__ == "__main__":
    main()
