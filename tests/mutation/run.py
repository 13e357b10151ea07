#!/usr/bin/env python3
"""Changes the product in one place at a time, and prints which changes no test finds.

    run.py                    the changes that were picked by hand, in the .toml files of this folder
    run.py --changed [BASE]   changes that operators make of the lines that differ from where the branch left BASE

A table of a .toml file is named after a file of the product. A line of it is a mutant: the product's fault in plain words,
the tests that must find it, text that occurs in the file exactly once, of one short line if it can be, and the text in its
place. The tests are words: test programs to build, and if not all of their tests need to run, a regular expression of ctest's
names, which begins with ^, or a filter of GoogleTest for their cases.

operators.py lists the operators. Tests of a changed file are those of the folder of tests that mirrors its own, and those
of the mutants picked in its folder; tests that run the whole product come last.

A copy of the checkout is built (preset cpu) and tested in build/mutation; the checkout itself is not touched. First the
tests of all mutants must pass unchanged. A test that fails or runs out of time kills a mutant. The exit code is 1 if a
mutant survives, and if one that was picked by hand does not compile or does not apply. May be interrupted at any time
and started again. Needs Python 3.11, CMake, Ninja and what the product needs.
"""

import argparse
import collections
import os
import pathlib
import random
import re
import subprocess
import sys
import time

from build import Build
from mutants import Mutant, Tests, git, make_mutants, read_picked
from programs import read_programs

ROOT = pathlib.Path(__file__).resolve().parents[2]
KILLED, SURVIVED, NOT_COMPILED, NOT_BUILT, NOT_RUN = "killed", "SURVIVED", "does not compile", "not in this build", "does not run"


def default_base() -> str:
    """Returns the branch that this one left; on main itself, the commit before."""
    head = git(ROOT, "rev-parse", "HEAD")
    for branch in ("origin/main", "main"):
        try:
            if git(ROOT, "merge-base", "HEAD", branch) != head:
                return branch
        except subprocess.CalledProcessError:  # there is no such branch
            continue
    return "HEAD~1"


def chosen_tests(build: Build, names: str) -> tuple[Tests, ...]:
    """Returns the tests that a user named, with the programs that they are named after."""
    programs = {name.partition(".")[0] for name in build.names_of(names)} & set(read_programs(ROOT))
    return (Tests(tuple(sorted(programs)), names),)


def stops_early(tests: Tests) -> bool:
    """Returns whether a program may stop at its first failure: under MPI other ranks would wait for it."""
    programs = read_programs(ROOT)
    return not any(programs[name].runs_ranks for name in tests.targets)


def check_unchanged(build: Build, mutants: list[Mutant]) -> dict[Tests, float]:
    """Ends the program unless everything builds and passes without a mutant. Returns the seconds that tests may run with one."""
    all_tests = list(dict.fromkeys(tests for mutant in mutants for tests in mutant.tests))
    targets = {target for tests in all_tests for target in tests.targets}
    print(f"{len(mutants)} mutants; builds {len(targets)} programs and runs their tests unchanged", flush=True)
    if error := build.build(targets):
        sys.exit(f"the product does not build: {error}")
    limits = {}
    for tests in all_tests:
        begin = time.monotonic()
        if failure := build.failure(tests.names, tests.cases, stops_early(tests)):
            sys.exit(f"a test fails without any mutant: {failure}")
        limits[tests] = 60 + 5 * (time.monotonic() - begin)
    return limits


def try_mutant(build: Build, mutant: Mutant, limits: dict[Tests, float]) -> tuple[str, str]:
    """Returns the outcome, and the test that killed the mutant or the error."""
    before = mutant.apply(build.tree)
    try:
        for tests in mutant.tests:
            if error := build.build(set(tests.targets)):
                return NOT_COMPILED, error
            failure = build.failure(tests.names, tests.cases, stops_early(tests), limits[tests])
            if "(not run)" in failure or failure.startswith("ctest: "):
                return NOT_RUN, failure
            if failure:
                return KILLED, failure
        return SURVIVED, "" if mutant.tests else "no tests of its folder: name some by --tests"
    finally:
        (build.tree / mutant.file).write_text(before, encoding="utf-8")


def print_table(outcomes: list[tuple[Mutant, str]]) -> None:
    folders: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for mutant, outcome in outcomes:
        folders[mutant.file.partition("/")[0]][outcome] += 1
    folders["all"] = sum(folders.values(), collections.Counter())
    print(f"\n{'folder':<14}{'mutants':>9}{KILLED:>9}{'survived':>10}{'not compiled':>14}{'others':>8}")
    for folder, counts in folders.items():
        others = counts[NOT_BUILT] + counts[NOT_RUN]
        print(f"{folder:<14}{counts.total():>9}{counts[KILLED]:>9}{counts[SURVIVED]:>10}{counts[NOT_COMPILED]:>14}{others:>8}")


def run(build: Build, mutants: list[Mutant], accepted: set[str]) -> bool:
    """Tries all mutants; returns whether every outcome is an accepted one."""
    limits = check_unchanged(build, mutants)
    built = build.built_files()
    outcomes: list[tuple[Mutant, str]] = []
    begin = time.monotonic()
    try:
        for number, mutant in enumerate(mutants, 1):
            outcome, detail = try_mutant(build, mutant, limits) if mutant.file in built else (NOT_BUILT, "")
            outcomes.append((mutant, outcome))
            left = (time.monotonic() - begin) / number * (len(mutants) - number)
            print(f"[{number}/{len(mutants)}, {left / 60:.0f} min left] {mutant.name}: {outcome} {detail}".rstrip(), flush=True)
    except KeyboardInterrupt:
        print("\ninterrupted")
    print_table(outcomes)
    for mutant, outcome in outcomes:
        if outcome not in accepted:
            print(f"{outcome}: {mutant.name} ({mutant.file})")
    return len(outcomes) == len(mutants) and all(outcome in accepted for _, outcome in outcomes)


def regular_expression(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from error
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--changed", metavar="BASE", nargs="?", const="", help="mutants of changed lines; BASE: where the branch "
                        "left main, or the commit before on main itself")
    parser.add_argument("--only", metavar="REGEX", type=regular_expression, default="", help="mutants with this in their name or file")
    parser.add_argument("--most", metavar="N", type=int, help="N of them, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="seed of the draw (0)")
    parser.add_argument("--tests", metavar="REGEX", type=regular_expression,
                        help="ctest's tests to run in place of those that concern a changed file")
    parser.add_argument("--list", action="store_true", help="check the .toml files, print the mutants, and stop")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="jobs of the build and of ctest")
    parser.add_argument("--build", metavar="FOLDER", type=pathlib.Path, default=ROOT / "build" / "mutation")
    arguments = parser.parse_args()
    makes = arguments.changed is not None
    if arguments.tests and not makes:
        parser.error("--tests needs --changed")
    if arguments.most is not None and arguments.most < 1:
        parser.error("--most takes a number of at least 1")
    programs = read_programs(ROOT)
    mutants, errors = read_picked(ROOT, programs)
    if errors:
        sys.exit("\n".join(errors))
    if makes:
        try:
            mutants = make_mutants(ROOT, arguments.changed or default_base(), mutants, programs)
        except subprocess.CalledProcessError as error:
            sys.exit(error.stderr.strip())
    mutants = [mutant for mutant in mutants if re.search(arguments.only, f"{mutant.name}\n{mutant.file}", re.MULTILINE)]
    if arguments.most is not None and arguments.most < len(mutants):
        drawn = random.Random(arguments.seed).sample(range(len(mutants)), arguments.most)
        mutants = [mutants[place] for place in sorted(drawn)]
    if arguments.list or not mutants:
        print("".join(f"{mutant.name if makes else f'{mutant.file}: {mutant.name}'}\n" for mutant in mutants) + f"{len(mutants)} mutants")
        sys.exit(0 if mutants or makes else 1)
    build = Build(ROOT, arguments.build.resolve(), arguments.jobs)
    build.configure()
    if arguments.tests:
        tests = chosen_tests(build, arguments.tests)
        mutants = [Mutant(**{**vars(mutant), "tests": tests}) for mutant in mutants]
    accepted = {KILLED, NOT_COMPILED, NOT_BUILT} if makes else {KILLED}
    sys.exit(0 if run(build, mutants, accepted) else 1)


if __name__ == "__main__":
    main()
