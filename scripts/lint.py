#!/usr/bin/env python3
"""Runs clang-tidy with the project's .clang-tidy on the .cpp files that changed; any finding is an error.

    lint.py [--base COMMIT] [--seconds S] [FILE...]

Changed is what differs from COMMIT: by default where the branch left origin/main or main, else the commit before. A file
takes 10 to 30 s: those without LibTorch come first, and those that S seconds (120) are not enough for are printed. FILEs are
looked at in place of what changed. Takes a configured build/cpu.
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
import time

from check_headers import default_base, git, included_by

# Options that clang-tidy does not know, or is not to heed.
GCC_OPTIONS = ("-Werror", "-Winvalid-pch", "-fpch-preprocess", "-fno-reorder-blocks-and-partition")
ROOT = pathlib.Path(__file__).resolve().parent.parent


def plain_command(command):
    """A compile command without its launcher, and without what only the build's own compiler can read."""
    words = shlex.split(command)
    while not re.search(r"(g\+\+|c\+\+)[-0-9.]*$", words[0]):
        words.pop(0)
    kept = []
    while words:
        word = words.pop(0)
        if word == "-include" and "cmake_pch" in words[0]:
            words.pop(0)
        elif word not in GCC_OPTIONS:
            kept.append(word)
    return kept


def commands_of(build):
    """The compile command of every .cpp file; of files that are compiled together, that of the file which joins them."""
    commands = {}
    with open(f"{build}/compile_commands.json", encoding="utf-8") as file:
        for entry in json.load(file):
            joined = []
            if "/Unity/unity_" in entry["file"]:
                text = pathlib.Path(entry["file"]).read_text(encoding="utf-8")
                joined = re.findall(r'^#include "(.*)"', text, re.MULTILINE)
            for path in joined or [entry["file"]]:
                # Of a file that is compiled twice, the command with LibTorch.
                if "-DGAUSSCSE_WITHOUT_LIBTORCH" in entry["command"] and os.path.relpath(path) in commands:
                    continue
                commands[os.path.relpath(path)] = {"directory": entry["directory"], "file": path,
                                                   "command": entry["command"].replace(entry["file"], path)}
    return commands


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("files", nargs="*")
    given = parser.parse_args()
    os.chdir(ROOT)
    base = given.base or default_base()
    if not given.files and not base:
        print("lint: no commit to compare with: nothing is looked at")
        return
    commands = commands_of("build/cpu")
    changed = given.files or git("diff", "--name-only", "--diff-filter=d", base, "--", "*.cpp").split()
    files = [file for file in changed if file in commands]
    headers = git("ls-files", "*.hpp").split()
    included = included_by(headers + files)
    files.sort(key=lambda file: any(name.startswith("ATen/") for name in included[file]))
    end = time.monotonic() + given.seconds
    with tempfile.TemporaryDirectory() as folder:
        entries = [{"directory": commands[file]["directory"], "file": str(ROOT / file),
                    "arguments": plain_command(commands[file]["command"])} for file in files]
        pathlib.Path(folder, "compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")

        def look_at(file):
            left = end - time.monotonic()
            if left <= 0:
                return file, None
            try:
                return file, subprocess.run(["clang-tidy-14", "-p", folder, "--quiet", "--warnings-as-errors=*", file],
                                            capture_output=True, text=True, timeout=left)
            except subprocess.TimeoutExpired:
                return file, None

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(look_at, files))
    late = [file for file, run in results if run is None]
    failed = [run for _, run in results if run is not None and run.returncode != 0]
    for run in failed:
        print(run.stdout or run.stderr, file=sys.stderr)
    print(f"lint: {len(files) - len(late)} of {len(files)} changed files looked at, {len(failed)} with findings")
    if late:
        print("lint: no time left for " + " ".join(late))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
