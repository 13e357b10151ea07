#!/usr/bin/env python3
"""Tests of outcomes: mutants of a file of one line, with stand-ins for CMake, CTest and Ninja."""

import contextlib
import io
import os
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import run
from build import Build
from mutants import Mutant, Tests, git

# The copy of the checkout is the working folder. A build fails at BAD, the test at FAULT, and it hangs at SLOW.
CMAKE = """#!/bin/sh
[ "$1" = --build ] || exit 0
! grep -q BAD base/a.cpp || { echo "base/a.cpp:1: error: BAD"; exit 1; }
"""
CTEST = """#!/bin/sh
! grep -q SLOW base/a.cpp || { echo "    Start 1: base_test"; exec sleep 600; }
! grep -q FAULT base/a.cpp || { printf '[  FAILED  ] Suite.Case (1 ms)\\nThe following tests FAILED:\\n\\t  1 - base_test (Failed)\\n'; exit 8; }
! grep -q GONE base/a.cpp || { echo "No tests were found!!!"; exit 8; }
"""
NINJA = """#!/bin/sh
printf 'a.o: #deps 1\\n    ../tree/base/a.cpp\\n'
"""
TESTS = Tests((), "^base_test$")


class Outcomes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        root = pathlib.Path(self.folder.name).resolve()
        for name, script in (("cmake", CMAKE), ("ctest", CTEST), ("ninja", NINJA)):
            (root / "bin").mkdir(exist_ok=True)
            (root / "bin" / name).write_text(script, encoding="utf-8")
            (root / "bin" / name).chmod(0o755)
        (root / "checkout/base").mkdir(parents=True)
        (root / "checkout/base/a.cpp").write_text("return ONE;\n", encoding="utf-8")
        git(root / "checkout", "init", "-q")
        self.file = root / "build/tree/base/a.cpp"
        path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        os.environ["PATH"] = f"{root / 'bin'}:{path}"
        self.build = Build(root / "checkout", root / "build", 1)
        self.build.configure()

    def mutant(self, new, file="base/a.cpp", tests=(TESTS,)):
        return Mutant(f"makes {new}", file, len("return "), "ONE", new, tests)

    def outcome(self, new, seconds=600.0, **words):
        outcome = run.try_mutant(self.build, self.mutant(new, **words), {TESTS: seconds})
        self.assertEqual(self.file.read_text(encoding="utf-8"), "return ONE;\n")
        return outcome

    def test_outcomes(self):
        self.assertEqual(self.outcome("FAULT"), ("killed", "base_test: Suite.Case"))
        self.assertEqual(self.outcome("TWO"), ("SURVIVED", ""))
        self.assertEqual(self.outcome("BAD"), ("does not compile", "base/a.cpp:1: error: BAD"))
        self.assertEqual(self.outcome("SLOW", seconds=0.5), ("killed", "base_test (timeout)"))
        self.assertEqual(self.outcome("GONE"), ("does not run", "ctest: No tests were found!!!"))
        self.assertEqual(self.outcome("TWO", tests=()), ("SURVIVED", "no tests of its folder: name some by --tests"))

    def run_all(self, accepted, *mutants):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            return run.run(self.build, list(mutants), accepted), output.getvalue()

    def test_a_run_fails_if_a_mutant_survives(self):
        killed, other, elsewhere = self.mutant("FAULT"), self.mutant("BAD"), self.mutant("TWO", file="base/gpu.cu")
        of_operators = {"killed", "does not compile", "not in this build"}
        self.assertTrue(self.run_all(of_operators, killed, other, elsewhere)[0])
        self.assertFalse(self.run_all({"killed"}, killed, other)[0])
        passed, output = self.run_all(of_operators, killed, self.mutant("TWO"), other)
        self.assertFalse(passed)
        self.assertIn("makes FAULT: killed base_test: Suite.Case\n", output)
        self.assertRegex(output, r"\nbase +3 +1 +1 +1 +0\n")
        self.assertRegex(output, r"\nall +3 +1 +1 +1 +0\n")
        self.assertTrue(output.endswith("\nSURVIVED: makes TWO (base/a.cpp)\n"), output)

    def test_a_test_that_fails_unchanged_ends_the_run(self):
        (self.build.root / "base/a.cpp").write_text("return FAULT;\n", encoding="utf-8")
        self.build.configure()
        with self.assertRaisesRegex(SystemExit, "a test fails without any mutant: base_test: Suite.Case"):
            self.run_all(set(), self.mutant("TWO"))

    def test_the_copy_follows_the_checkout(self):
        before = self.file.stat().st_mtime_ns
        (self.build.root / "base/b.cpp").write_text("1", encoding="utf-8")
        self.build.configure()
        self.assertEqual((self.file.parent / "b.cpp").read_text(encoding="utf-8"), "1")
        self.assertEqual(self.file.stat().st_mtime_ns, before)
        (self.build.root / "base/b.cpp").unlink()
        self.build.configure()
        self.assertFalse((self.file.parent / "b.cpp").exists())


if __name__ == "__main__":
    unittest.main()
