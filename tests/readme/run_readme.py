#!/usr/bin/env python3
"""Runs README.md's shell blocks one after another in one shell, in a copy of the tree, and stops at the first failure.

run_readme.py SOURCE BUILD

A block that begins with ```sh is run. One that begins with ```sh needs=WHAT is not, but named in the output;
needs=real-data is run on the first lines of real corpora where their folder is there (GAUSSCSE_TEST_DATA, by default
../shared/data beside SOURCE). The copy has the build and the fetched encoder of SOURCE. Ends with 77 (skipped) where
there is no encoder.
"""
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

skipped = 77
corpora = {
    "snli_1.0_train.jsonl": "snli_1.0-subset",
    "snli_1.0_dev.jsonl": "snli_1.0-original-sample",
    "snli_1.0_test.jsonl": "snli_1.0-original-sample",
    "multinli_1.0_train.jsonl": "multinli_1.0-subset",
    "multinli_1.0_dev_matched.jsonl": "multinli_1.0-subset",
    "multinli_1.0_dev_mismatched.jsonl": "multinli_1.0-subset",
    "SICK.txt": "SICK",
    "SICK_trial.txt": "SICK",
    "SICK_test_annotated.txt": "SICK",
}


def blocks_of(text):
    """(line, what it needs or None, commands) of each shell block."""
    for match in re.finditer(r"^```sh(?: needs=(\S+))?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield text.count("\n", 0, match.start()) + 1, match.group(1), match.group(2)


def copy_tree(source, copy):
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=source,
                           check=True, capture_output=True).stdout.split(b"\0")
    for name in filter(None, map(os.fsdecode, names)):
        if not (source / name).is_file():
            continue
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes((source / name).read_bytes())
        (copy / name).chmod((source / name).stat().st_mode)


def cut_short(corpus, copy, lines):
    """The first lines of a corpus: a whole one takes minutes."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    with open(corpus, "rb") as all_lines:
        copy.write_bytes(b"".join(itertools.islice(all_lines, lines)))


def main():
    source, build = map(pathlib.Path, sys.argv[1:3])
    data = pathlib.Path(os.environ.get("GAUSSCSE_TEST_DATA", source.parent / "shared" / "data"))
    if not (source / "models" / "minilm" / "model.safetensors").exists():
        print("SKIPPED: no encoder in models/minilm: scripts/fetch_minilm.sh fetches it")
        sys.exit(skipped)
    real = data.is_dir()
    text = (source / "README.md").read_text()
    if not any(need is None for _, need, _ in blocks_of(text)):
        sys.exit("README.md has no shell block that can be run")
    if hidden := re.search(r"^(    +(gausscse|mpirun|scripts/|build/|cmake).*|```(bash|shell|console))$", text, re.MULTILINE):
        sys.exit(f"README.md has commands outside of a ```sh block, which nothing runs: {hidden.group(0)}")
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        copy_tree(source, copy)
        (copy / "build").mkdir()
        (copy / "build" / "cpu").symlink_to(build)
        (copy / "models").mkdir()
        (copy / "models" / "minilm").symlink_to(source / "models" / "minilm")
        if real:
            for name, part in corpora.items():
                cut_short(data / part / name, copy / "corpora" / name, 1000)
            for file in (data / "sts").rglob("*.*"):
                cut_short(file, copy / "corpora" / "sts" / file.relative_to(data / "sts"), 50)
        script = "set -euo pipefail\n"
        for line, needs, commands in blocks_of(text):
            if needs is None or (needs == "real-data" and real):
                script += f"echo '== README.md, line {line}'\nset -x\n{commands}{{ set +x; }} 2>/dev/null\n"
            elif needs == "real-data":
                # In GoogleTest's words, which scripts/list_skips.py looks for.
                script += f"echo '[ RUN      ] line_{line}'; echo 'no real corpora in {data}'\n"
                script += f"echo '[  SKIPPED ] line_{line}'\n"
            else:
                script += f"echo '== README.md, line {line}: not run, it needs {needs}'\n"
        sys.exit(subprocess.run(["bash", "-c", script], cwd=copy).returncode)


if __name__ == "__main__":
    main()
