#!/usr/bin/env python3
"""Changes the product in one place at a time, and tells which changes no test finds.

The changes (mutants) are listed in the .toml files beside this one, a table [[mutant]] each:

    name     what is wrong with the product then, in plain words
    file     of the product
    old      a text that occurs in it exactly once
    new      what stands in its place
    targets  the test programs that are built
    tests    which of ctest's tests are run, as a regular expression; by default those of `targets`
    cases    which of their cases, as a filter of GoogleTest; by default all

A copy of the checkout is built (preset cpu) and tested in build/mutation; the checkout itself is not touched. First the
tests of all mutants must pass unchanged. A test that fails or runs out of time kills a mutant; one that does not
compile is an error of the list. The exit code is 1 if a mutant survives, does not compile or does not apply. May be
interrupted at any time and started again. Needs Python 3.11 (tomllib), CMake, Ninja and what the product needs.
"""

import argparse
import collections
import dataclasses
import filecmp
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass(frozen=True)
class Mutant:
    list: str
    name: str
    file: str
    old: str
    new: str
    targets: tuple[str, ...]
    tests: str
    cases: str = "*"

    def apply(self, folder: pathlib.Path) -> str:
        """Changes the file in `folder`; its text before."""
        path = folder / self.file
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")
        return text


def read_mutants() -> list[Mutant]:
    mutants = []
    for path in sorted(pathlib.Path(__file__).parent.glob("*.toml")):
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]:
            targets = tuple(entry.pop("targets"))
            tests = entry.pop("tests", rf"^({'|'.join(targets)})(\.|$)")
            mutants.append(Mutant(list=path.stem, targets=targets, tests=tests, **entry))
    return mutants


def test_programs() -> set[str]:
    """The names that tests/**/CMakeLists.txt give to test programs."""
    pattern = re.compile(r"(?:gausscse_(?:mpi_|program_)?test|add_executable)\(\s*(\w+)")
    files = (ROOT / "tests").rglob("CMakeLists.txt")
    return {name for file in files for name in pattern.findall(file.read_text(encoding="utf-8"))}


def errors_of(mutants: list[Mutant]) -> list[str]:
    """What is wrong with the list, against the checkout as it is."""
    errors = []
    programs = test_programs()
    for name, count in collections.Counter(mutant.name for mutant in mutants).items():
        if count > 1:
            errors.append(f"{name}: {count} mutants have this name")
    for mutant in mutants:
        path = ROOT / mutant.file
        count = path.read_text(encoding="utf-8").count(mutant.old) if path.is_file() else 0
        if count != 1:
            errors.append(f"{mutant.name}: `old` occurs {count} times in {mutant.file}")
        if mutant.old == mutant.new:
            errors.append(f"{mutant.name}: changes nothing")
        errors += [f"{mutant.name}: no test program {target}" for target in mutant.targets if target not in programs]
    return errors


def copy_checkout(to: pathlib.Path) -> None:
    """Makes `to` a copy of the files that git tracks or would track. What is the same keeps its time, and so what was
    built of it."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    names = {name for name in listed.split("\0") if name and (ROOT / name).is_file()}
    for name in names:
        target = to / name
        if target.is_file() and filecmp.cmp(ROOT / name, target, shallow=False):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target)
        os.utime(target)
    for path in to.rglob("*"):
        if path.is_file() and str(path.relative_to(to)) not in names:
            path.unlink()


class Build:
    def __init__(self, folder: pathlib.Path, jobs: int) -> None:
        self.tree = folder / "tree"
        self.folder = folder / "cpu"
        self.jobs = str(jobs)
        # As without a copy: the data are those beside the checkout.
        data = ROOT.parent / "shared" / "data"
        self.environment = {"GAUSSCSE_TEST_DATA": str(data)} if data.is_dir() else {}
        self.environment |= dict(os.environ, GTEST_COLOR="no", CLICOLOR_FORCE="0")

    def call(self, *command: str) -> tuple[int, str]:
        done = subprocess.run(command, cwd=self.tree, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        return done.returncode, done.stdout

    def configure(self) -> None:
        code, output = self.call("cmake", "--preset", "cpu", "-B", str(self.folder), "-DGAUSSCSE_JOIN_FILES=OFF")
        if code != 0:
            sys.exit(output)

    def build(self, targets: set[str]) -> str:
        """What is wrong; empty where nothing is."""
        code, output = self.call("cmake", "--build", str(self.folder), "-j", self.jobs, "--target", *sorted(targets))
        if code == 0:
            return ""
        errors = [line for line in output.splitlines() if "error:" in line]
        return (errors or output.splitlines())[0]

    def names_of(self, tests: str) -> list[str]:
        output = self.call("ctest", "--test-dir", str(self.folder), "-N", "-R", tests)[1]
        return re.findall(r"Test +#\d+: (\S+)", output)

    def failure(self, tests: str, cases: str = "*") -> str:
        """The first test that fails, with its case; empty where all pass."""
        # Not under MPI: the other ranks would wait for the one that stops.
        self.environment["GTEST_FAIL_FAST"] = "0" if r"\.np" in tests else "1"
        self.environment["GTEST_FILTER"] = cases
        code, output = self.call("ctest", "--test-dir", str(self.folder), "-R", tests, "-j", self.jobs,
                                 "--output-on-failure", "--stop-on-failure", "--no-tests=error")
        if code == 0:
            return ""
        failed = re.search(r"\d+ - (\S+) \((.*)\)", output.partition("The following tests FAILED")[2])
        if not failed:
            return f"ctest: {output.strip().splitlines()[-1]}"
        case = re.search(r"\[  FAILED  \] (\w[\w./]+)", output)
        return failed[1] + (f": {case[1]}" if case else f" ({failed[2].lower()})")


def check_unchanged(build: Build, mutants: list[Mutant]) -> None:
    """Ends the program unless everything builds and passes without a mutant."""
    targets = {target for mutant in mutants for target in mutant.targets}
    print(f"{len(mutants)} mutants; builds {len(targets)} test programs and runs them unchanged", flush=True)
    build.configure()
    if error := build.build(targets):
        sys.exit(f"the product does not build: {error}")
    names = set()
    for tests in {mutant.tests for mutant in mutants}:
        found = build.names_of(tests)
        if not found:
            sys.exit(f"no test is called {tests}")
        names.update(re.escape(name) for name in found)
    if failure := build.failure(f"^({'|'.join(sorted(names))})$"):
        sys.exit(f"a test fails without any mutant: {failure}")


def try_mutant(build: Build, mutant: Mutant) -> tuple[str, str]:
    """The outcome, and the test that killed it or what is wrong with it."""
    before = mutant.apply(build.tree)
    try:
        if error := build.build(set(mutant.targets)):
            return "does not compile", error
        killer = build.failure(mutant.tests, mutant.cases)
        if "(not run)" in killer or killer.startswith("ctest: "):
            return "does not run", killer
        return ("killed", killer) if killer else ("SURVIVED", mutant.file)
    finally:
        (build.tree / mutant.file).write_text(before, encoding="utf-8")


def print_table(outcomes: list[tuple[Mutant, str]]) -> None:
    folders: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for mutant, outcome in outcomes:
        folders[mutant.file.partition("/")[0]][outcome] += 1
    folders["all"] = sum(folders.values(), collections.Counter())
    print(f"\n{'folder':<14}{'mutants':>9}{'killed':>9}{'survived':>10}{'errors':>8}")
    for folder, counts in folders.items():
        errors = counts.total() - counts["killed"] - counts["SURVIVED"]
        print(f"{folder:<14}{counts.total():>9}{counts['killed']:>9}{counts['SURVIVED']:>10}{errors:>8}")


def run(build: Build, mutants: list[Mutant]) -> bool:
    """True if every mutant was killed."""
    outcomes: list[tuple[Mutant, str]] = []
    begin = time.monotonic()
    try:
        for number, mutant in enumerate(mutants, 1):
            outcome, detail = try_mutant(build, mutant)
            outcomes.append((mutant, outcome))
            left = (time.monotonic() - begin) / number * (len(mutants) - number)
            print(f"[{number}/{len(mutants)}, {left / 60:.0f} min left] {outcome}: {mutant.name}: {detail}", flush=True)
    except KeyboardInterrupt:
        print("\ninterrupted")
    print_table(outcomes)
    for mutant, outcome in outcomes:
        if outcome != "killed":
            print(f"{outcome}: {mutant.name} ({mutant.file})")
    return len(outcomes) == len(mutants) and all(outcome == "killed" for _, outcome in outcomes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="REGEX", default="", help="mutants whose name, file or list (^liao$) it is found in")
    parser.add_argument("--list", action="store_true", help="check that every mutant applies, print them, and stop")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="of the build and of ctest")
    parser.add_argument("--build", metavar="FOLDER", type=pathlib.Path, default=ROOT / "build" / "mutation")
    arguments = parser.parse_args()
    mutants = read_mutants()
    if errors := errors_of(mutants):
        sys.exit("\n".join(errors))
    mutants = [mutant for mutant in mutants if re.search(arguments.only, f"{mutant.list}\n{mutant.name}\n{mutant.file}", re.MULTILINE)]
    if not mutants:
        sys.exit(f"no mutant has {arguments.only} in its name, file or list")
    if arguments.list:
        for mutant in mutants:
            print(f"{mutant.file}: {mutant.name}")
        print(f"{len(mutants)} mutants")
        return
    build = Build(arguments.build.resolve(), arguments.jobs)
    copy_checkout(build.tree)
    check_unchanged(build, mutants)
    sys.exit(0 if run(build, mutants) else 1)


if __name__ == "__main__":
    main()
