#!/usr/bin/env python3
"""Runs the shell blocks of README.md and of the pages that follow it, one after another in one shell, in a copy of the tree,
and stops at the first failure.

run_readme.py SOURCE BUILD

A block that begins with ```sh is run. One that begins with ```sh needs=WHAT is not, but named in the output;
needs=real-data is run on the first lines of real corpora where their folder is there (GAUSSCSE_TEST_DATA, by default
../shared/data beside SOURCE), and needs=pyarrow where this Python has it. A block ```text that follows one that is run shows
lines of its standard output: they must be there, in this order, but for their digits and blanks. The copy has the build and
the fetched encoder of SOURCE. Ends with 77 (skipped) where there is no encoder. Before that, links between pages must lead
somewhere, docs/README.md must list all pages, README.md must have at most 700 words, and each page of docs at most 2,500.
"""
import importlib.util
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

skipped = 77
pages = ["README.md", *(f"docs/{name}.md" for name in ("first-run", "data", "own-data", "search", "grounding", "choosing",
                                                       "publishing", "troubleshooting"))]
most_words = 700
most_words_of_page = 2500
# Tables of keys that the program prints, and that a test compares with a page: one looks a key up in them, nobody reads them.
reference_table = re.compile(r"^\| key \| allowed \| default \| meaning \|\n(?:\|.*\n)+", re.MULTILINE)
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


def blocks_of(source):
    """(page and line, what it needs or None, commands, lines that they print or None) of each shell block of the pages."""
    pattern = r"^```sh(?: needs=(\S+))?\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?"
    for page in pages:
        text = (source / page).read_text()
        for match in re.finditer(pattern, text, re.MULTILINE | re.DOTALL):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{page}, line {line}", match.group(1), match.group(2), match.group(3)


def anchors_of(text):
    """Returns the anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(source):
    """Links of the pages that lead to no file, or to no heading of a page."""
    for page in [source / "README.md", source / "CONTRIBUTING.md", *sorted((source / "docs").rglob("*.md"))]:
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
            path, _, anchor = link.partition("#")
            target = page if not path else page.parent / path
            if re.match(r"https://", link):
                continue
            if not target.exists():
                yield f"{page.relative_to(source)}: {link}: no such file"
            elif anchor and anchor not in anchors_of(target.read_text()):
                yield f"{page.relative_to(source)}: {link}: no such heading"


def unlisted_pages(source):
    """Pages that docs/README.md does not link."""
    listed = re.findall(r"\]\(([^)#\s]+)\)", (source / "docs" / "README.md").read_text())
    pages = [page.relative_to(source / "docs").as_posix() for page in sorted((source / "docs").rglob("*.md"))]
    return [page for page in pages if page not in [*listed, "README.md"]]


def long_pages(source):
    """Pages of docs with too many words, each with their number; tables that the program prints do not count."""
    for page in sorted((source / "docs").rglob("*.md")):
        if (words := len(reference_table.sub("", page.read_text()).split())) > most_words_of_page:
            yield (f"{page.relative_to(source)} has {words} words, more than {most_words_of_page}: "
                   "keep each fact on one page and link it from others")


def without_digits(line):
    return re.sub(r"\d+", "#", " ".join(line.split()))


def not_printed(shown, printed):
    """The first line of `shown` that `printed` lacks behind those before it; None where there is none."""
    rest = map(without_digits, printed.splitlines())
    return next((line for line in shown.splitlines() if without_digits(line) not in rest), None)


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
    if broken := list(broken_links(source)):
        sys.exit("\n".join(broken))
    if unlisted := unlisted_pages(source):
        sys.exit(f"docs/README.md does not list {', '.join(unlisted)}")
    if (words := len((source / "README.md").read_text().split())) > most_words:
        sys.exit(f"README.md has {words} words, more than {most_words}")
    if long := list(long_pages(source)):
        sys.exit("\n".join(long))
    data = pathlib.Path(os.environ.get("GAUSSCSE_TEST_DATA", source.parent / "shared" / "data"))
    if not (source / "models" / "minilm" / "model.safetensors").exists():
        print("SKIPPED: no encoder in models/minilm: scripts/fetch_minilm.sh fetches it")
        sys.exit(skipped)
    there = {
        "real-data": (data.is_dir(), f"no real corpora in {data}"),
        "pyarrow": (importlib.util.find_spec("pyarrow") is not None, "no pyarrow: scripts/setup.sh installs it"),
    }
    for page in pages:
        text = (source / page).read_text()
        if hidden := re.search(r"^(    +(gausscse|mpirun|scripts/|build/|cmake).*|```(bash|shell|console))$", text,
                               re.MULTILINE):
            sys.exit(f"{page} has commands outside of a ```sh block, which nothing runs: {hidden.group(0)}")
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        copy_tree(source, copy)
        (copy / "build").mkdir()
        (copy / "build" / "cpu").symlink_to(build)
        (copy / "models").mkdir()
        (copy / "models" / "minilm").symlink_to(source / "models" / "minilm")
        if data.is_dir():
            for name, part in corpora.items():
                cut_short(data / part / name, copy / "corpora" / name, 1000)
            for file in (data / "sts").rglob("*.*"):
                cut_short(file, copy / "corpora" / "sts" / file.relative_to(data / "sts"), 50)
        script = "set -euo pipefail\n"
        shown = {}
        for where, needs, commands, lines in blocks_of(source):
            is_there, why_not = there.get(needs, (needs is None, None))
            if is_there:
                script += f"echo '== {where}'\nset -x\n"
                if lines is None:
                    script += commands
                else:
                    output = copy / f"shown-{len(shown)}.txt"
                    shown[where] = output, lines
                    script += f"{{\n{commands}}} > '{output}'\ncat '{output}'\n"
                script += "{ set +x; } 2>/dev/null\n"
            elif why_not:
                # In GoogleTest's words, which scripts/list_skips.py looks for.
                name = re.sub(r"\W+", "_", where)
                script += f"echo '[ RUN      ] {name}'; echo '{why_not}'\n"
                script += f"echo '[  SKIPPED ] {name}'\n"
            else:
                script += f"echo '== {where}: not run, it needs {needs}'\n"
        if code := subprocess.run(["bash", "-c", script], cwd=copy).returncode:
            sys.exit(code)
        if not shown:
            sys.exit("README.md shows no output")
        for where, (output, lines) in shown.items():
            if (line := not_printed(lines, output.read_text())) is not None:
                sys.exit(f"{where}: the block does not print the line that is shown: {line}")


if __name__ == "__main__":
    main()
