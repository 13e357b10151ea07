#!/usr/bin/env python3
"""Checks that every header of the project compiles alone.

    check_headers.py [BUILD]      a configured build folder; build/cpu by default

A file of a chain of headers is compiled, where each header includes those before it: a header includes them anyway, so
that they can hide nothing that it fails to include. For the same reason LibTorch's tensors, which cost seconds, are
precompiled for the headers that include them, and for no others.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HEAVY = "ATen/core/Tensor.h"


def flags_of(build):
    """Compiler and flags that say what headers mean: the language, paths and definitions of all targets."""
    with open(build / "compile_commands.json", encoding="utf-8") as file:
        commands = [shlex.split(entry["command"]) for entry in json.load(file)]
    compiler = next(word for word in commands[0] if re.search(r"(g\+\+|c\+\+|clang\+\+)[-0-9.]*$", word))
    flags, defined = {}, set()
    for words in commands:
        for word, following in zip(words, words[1:] + [""]):
            if word in ("-isystem", "-idirafter"):
                flags[(word, following)] = None
            elif word.startswith(("-I", "-std=")):
                flags[(word,)] = None
            elif word.startswith("-D") and word.split("=")[0] not in defined:
                defined.add(word.split("=")[0])
                flags[(word,)] = None
    return [compiler, "-I."] + [word for flag in flags for word in flag]


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
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/cpu").resolve()
    os.chdir(pathlib.Path(__file__).resolve().parent.parent)
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.hpp"], check=True,
                            capture_output=True, text=True).stdout.split()
    headers = [header for header in listed if os.path.exists(header)]
    included = included_by(headers)
    heavy_headers = {header for header in headers if HEAVY in included[header]}
    chains = [chain for group in (heavy_headers, set(headers) - heavy_headers)
              for chain in chains_of({header: included[header] for header in group})]
    command = flags_of(build)
    with tempfile.TemporaryDirectory() as folder:
        heavy = os.path.join(folder, "heavy.hpp")
        pathlib.Path(heavy).write_text(f"#include <{HEAVY}>\n", encoding="utf-8")
        subprocess.run(command + ["-x", "c++-header", heavy, "-o", heavy + ".gch"], check=True)

        def compile_chain(chain):
            precompiled = ["-include", heavy] if chain[0] in heavy_headers else []
            source = "".join(f'#include "{header}"\n' for header in chain)
            return subprocess.run(command + precompiled + ["-fsyntax-only", "-x", "c++", "-"], input=source,
                                  capture_output=True, text=True)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
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
