"""Mutants: the product with one place changed. Some are picked by hand, others made of the lines that a change touches."""

import collections
import dataclasses
import os
import pathlib
import re
import subprocess
import tomllib

from operators import changes_of
from programs import Program, mirrored_programs, tests_of

FOLDERS = ("base", "data", "demo", "dist", "model", "results", "config", "inference", "evaluation", "training", "experiments",
           "launcher")
# Files that the preset cpu compiles, `.cuh` in the tests of kernels.
SUFFIXES = (".cpp", ".hpp", ".cuh")
MOST_PICKED = 250


@dataclasses.dataclass(frozen=True)
class Tests:
    """Tests that are run together."""

    targets: tuple[str, ...]  # programs to build
    names: str  # regular expression of ctest's names
    cases: str = "*"  # filter of GoogleTest


@dataclasses.dataclass(frozen=True)
class Mutant:
    name: str
    file: str
    begin: int  # place of `old` in the file's text
    old: str
    new: str
    tests: tuple[Tests, ...]  # in the order in which they are run, until one fails

    def apply(self, folder: pathlib.Path) -> str:
        """Changes the file in `folder`; returns its text before."""
        path = folder / self.file
        text = path.read_text(encoding="utf-8")
        path.write_text(text[: self.begin] + self.new + text[self.begin + len(self.old) :], encoding="utf-8")
        return text


def tests_of_words(words: str, programs: dict[str, Program]) -> tuple[Tests, list[str]]:
    """Returns the tests that an entry of a list names, and the words that name none."""
    names = [word for word in words.split() if word.startswith("^")]
    cases = [word for word in words.split() if re.search(r"[.*]", word) and word not in names]
    targets = tuple(word for word in words.split() if word not in names + cases)
    unknown = [word for word in targets if word not in programs] + names[1:] + cases[1:]
    return Tests(targets, *(names or [tests_of(targets)])[:1], *cases[:1]), unknown


def read_picked(root: pathlib.Path, programs: dict[str, Program]) -> tuple[list[Mutant], list[str]]:
    """Returns the mutants of the lists, and the errors of those lists."""
    mutants, errors = [], []
    for path in sorted((root / "tests/mutation").glob("*.toml")):
        for file, entries in tomllib.loads(path.read_text(encoding="utf-8")).items():
            product = root / file
            text = product.read_text(encoding="utf-8") if product.is_file() else ""
            for name, (words, old, new) in entries.items():
                tests, unknown = tests_of_words(words, programs)
                mutants.append(Mutant(name, file, text.find(old), old, new, (tests,)))
                if (count := text.count(old)) != 1:
                    errors.append(f"{path.name}: {name}: the text to change occurs {count} times in {file}")
                if old == new:
                    errors.append(f"{path.name}: {name}: changes nothing")
                errors += [f"{path.name}: {name}: no test program {word}" for word in unknown]
    counts = collections.Counter(mutant.name for mutant in mutants)
    errors += [f"{name}: {count} mutants have this name" for name, count in counts.items() if count > 1]
    if len(mutants) > MOST_PICKED:
        errors.append(f"{len(mutants)} mutants are picked by hand, at most {MOST_PICKED} may be: operators make others")
    return mutants, errors


def git(root: pathlib.Path, *words: str) -> str:
    """Returns the output of git; throws CalledProcessError, which has git's message."""
    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True).stdout


def changed_lines(diff: str) -> dict[str, set[int]]:
    """Returns the numbers of the new lines of each file, from the output of `git diff -U0`."""
    lines: dict[str, set[int]] = {}
    file = ""
    for line in diff.splitlines():
        if line.startswith("+++ b/"):
            file = line.removeprefix("+++ b/")
        elif hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            begin, count = int(hunk[1]), int(hunk[2] or 1)
            lines.setdefault(file, set()).update(range(begin, begin + count))
    return lines


def concerned_tests(file: str, picked: list[Mutant], programs: dict[str, Program]) -> tuple[Tests, ...]:
    """Returns the tests of the folder that mirrors a file's, and those of mutants picked in its folder; tests that run the
    whole product come last."""
    folder = pathlib.PurePath(file).parent
    near = [tests for mutant in picked if pathlib.PurePath(mutant.file).parent == folder for tests in mutant.tests]
    concerned = []
    for runs_all in (False, True):
        def fits(name: str) -> bool:
            return programs[name].runs_all == runs_all

        mirrored = sorted(filter(fits, mirrored_programs(programs, file)))
        others = [tests for tests in near if fits(tests.targets[0])]
        targets = sorted({*mirrored, *(target for tests in others for target in tests.targets)})
        names = sorted({tests.names for tests in others} | ({tests_of(mirrored)} if mirrored else set()))
        if names:
            concerned.append(Tests(tuple(targets), "|".join(names)))
    return tuple(concerned)


def shorten(*texts: str) -> list[str]:
    """Returns texts as they are printed: on one line, and where that is long around the place where they differ."""
    lines = [" ".join(text.split()) for text in texts]
    begin = max(0, min(len(os.path.commonprefix(lines)) - 40, max(map(len, lines)) - 120))
    return [("… " if begin else "") + line[begin : begin + 120] + (" …" if len(line) > begin + 120 else "") for line in lines]


def mutants_of_file(file: str, text: str, lines: set[int], tests: tuple[Tests, ...]) -> list[Mutant]:
    """Returns all mutants of these lines of a file's text, in the order of places."""
    mutants = []
    for begin, end, operator, new in changes_of(text):
        first, last = text.count("\n", 0, begin) + 1, text.count("\n", 0, end) + 1
        if lines.isdisjoint(range(first, last + 1)):
            continue
        line_begin, line_end = text.rfind("\n", 0, begin) + 1, text.find("\n", end)
        before, after = shorten(text[line_begin:line_end], text[line_begin:begin] + new + text[end:line_end])
        name = f"{file}:{first}: {operator}: {before} → {after}"
        mutants.append(Mutant(name, file, begin, text[begin:end], new, tests))
    return mutants


def make_mutants(root: pathlib.Path, base: str, picked: list[Mutant], programs: dict[str, Program]) -> list[Mutant]:
    """Returns the mutants of all lines of the product that differ from where the checkout left `base`."""
    start = git(root, "merge-base", base, "HEAD").strip()
    diff = git(root, "-c", "core.quotePath=false", "diff", "--no-ext-diff", "--no-color", "--dst-prefix=b/", "-U0", start,
               "--", *FOLDERS)
    lines = changed_lines(diff)
    new_files = git(root, "ls-files", "-z", "--others", "--exclude-standard", "--", *FOLDERS).split("\0")
    mutants = []
    for file in sorted({*lines, *new_files}):
        path = root / file
        if path.suffix in SUFFIXES and path.is_file():
            text = path.read_text(encoding="utf-8")
            changed = lines.get(file, set(range(1, text.count("\n") + 1)))
            mutants += mutants_of_file(file, text, changed, concerned_tests(file, picked, programs))
    return mutants
