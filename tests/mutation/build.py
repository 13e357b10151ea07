"""A copy of the checkout, built and tested in a folder of its own."""

import filecmp
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

from mutants import git


def copy_checkout(root: pathlib.Path, to: pathlib.Path) -> None:
    """Makes `to` a copy of the files that git tracks or would track. A file that is the same keeps its time, and so its
    objects are not built again."""
    listed = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    names = {name for name in listed.split("\0") if name and (root / name).is_file()}
    for name in names:
        target = to / name
        if target.is_file() and filecmp.cmp(root / name, target, shallow=False):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, target)
        os.utime(target)
    for path in to.rglob("*"):
        if path.is_file() and str(path.relative_to(to)) not in names:
            path.unlink()


OUT_OF_TIME = -1  # in place of an exit code


def end(process: subprocess.Popen[str]) -> str:
    """Ends a process and its group; returns its output."""
    os.killpg(process.pid, signal.SIGTERM)  # mpiexec then ends its ranks, which are in groups of their own
    try:
        return process.communicate(timeout=10)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.communicate()[0]


class Build:
    def __init__(self, root: pathlib.Path, folder: pathlib.Path, jobs: int) -> None:
        self.root = root
        self.tree = folder / "tree"
        self.folder = folder / "cpu"
        self.jobs = str(jobs)
        # The copy reads the data that lie next to the checkout.
        data = root.parent / "shared" / "data"
        self.environment = {"GAUSSCSE_TEST_DATA": str(data)} if data.is_dir() else {}
        self.environment |= dict(os.environ, GTEST_COLOR="no", CLICOLOR_FORCE="0")

    def call(self, *command: str, seconds: float | None = None) -> tuple[int, str]:
        """Returns the exit code and the output; ends the command and all that it started after so many seconds."""
        with subprocess.Popen(command, cwd=self.tree, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True) as process:
            try:
                output = process.communicate(timeout=seconds)[0]
            except subprocess.TimeoutExpired:
                return OUT_OF_TIME, end(process)
            except KeyboardInterrupt:
                end(process)
                raise
        return process.returncode, output

    def configure(self) -> None:
        copy_checkout(self.root, self.tree)
        # Warnings are no errors: a variable that a mutant no longer uses is no reason to leave the mutant out.
        code, output = self.call("cmake", "--preset", "cpu", "-B", str(self.folder), "-DGAUSSCSE_JOIN_FILES=OFF",
                                 "-DGAUSSCSE_WARNINGS_AS_ERRORS=OFF")
        if code != 0:
            sys.exit(output)

    def build(self, targets: set[str]) -> str:
        """Returns the first error; empty without one."""
        code, output = self.call("cmake", "--build", str(self.folder), "-j", self.jobs, "--target", *sorted(targets))
        if code == 0:
            return ""
        errors = [line for line in output.splitlines() if "error:" in line]
        return (errors or output.splitlines())[0]

    def built_files(self) -> set[str]:
        """Returns the files of the copy that were compiled, headers included."""
        output = self.call("ninja", "-C", str(self.folder), "-t", "deps")[1]
        places = (pathlib.Path(os.path.normpath(self.folder / line.strip())) for line in output.splitlines())
        return {str(place.relative_to(self.tree)) for place in places if place.is_relative_to(self.tree)}

    def names_of(self, tests: str) -> list[str]:
        """Returns the names of ctest's tests that fit a regular expression."""
        output = self.call("ctest", "--test-dir", str(self.folder), "-N", "-R", tests)[1]
        return re.findall(r"Test +#\d+: (\S+)", output)

    def failure(self, tests: str, cases: str, stops_early: bool, seconds: float | None = None) -> str:
        """Returns the first test that fails, with its case; empty where all pass."""
        self.environment["GTEST_FAIL_FAST"] = "1" if stops_early else "0"
        self.environment["GTEST_FILTER"] = cases
        code, output = self.call("ctest", "--test-dir", str(self.folder), "-R", tests, "-j", self.jobs,
                                 "--output-on-failure", "--stop-on-failure", "--no-tests=error", seconds=seconds)
        if code == 0:
            return ""
        failed = re.search(r"\d+ - (\S+) \((.*)\)", output.partition("The following tests FAILED")[2])
        if code == OUT_OF_TIME:
            return f"{(re.findall(r'Start +[0-9]+: (.*)', output) or [tests])[-1].strip()} (timeout)"
        if not failed:
            return f"ctest: {output.strip().splitlines()[-1]}"
        case = re.search(r"\[  FAILED  \] (\w[\w./]+)", output)
        return failed[1] + (f": {case[1]}" if case else f" ({failed[2].lower()})")
