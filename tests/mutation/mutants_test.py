#!/usr/bin/env python3
"""Tests of the choice of lines, of how a mutant is printed, and of the tests that concern it."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from mutants import Mutant, Tests, changed_lines, concerned_tests, git, make_mutants, mutants_of_file, shorten
from programs import Program, mirrored_programs, read_programs, tests_of

DIFF = """diff --git a/base/a.cpp b/base/a.cpp
--- a/base/a.cpp
+++ b/base/a.cpp
@@ -1,2 +2 @@ int f() {
-old
+new
@@ -7,0 +8,2 @@
+one
+two
@@ -20,3 +22,0 @@
--- a/base/b.hpp
+++ /dev/null
@@ -1,4 +0,0 @@
"""


class ChangedLines(unittest.TestCase):
    def test_lines_of_a_diff(self):
        self.assertEqual(changed_lines(DIFF), {"base/a.cpp": {2, 8, 9}})

    def test_only_changed_lines_are_mutated(self):
        text = "int f() {\n  return a < b;\n  g(a,\n    b);\n}\n"
        names = [mutant.name for mutant in mutants_of_file("base/a.cpp", text, {4}, ())]
        self.assertEqual(names, ["base/a.cpp:3: removed call: g(a, b); → {}", "base/a.cpp:3: argument order: g(a, b); → g(b, a);"])

    def test_a_mutant_changes_its_place(self):
        text = "int f() {\n  return a < b || a < b;\n}\n"
        mutant = mutants_of_file("base/a.cpp", text, {2}, ())[2]
        self.assertEqual((mutant.begin, mutant.old, mutant.new), (text.rindex("<"), "<", "<="))

    def test_long_lines_are_cut_where_they_differ(self):
        before, after = "x" * 300 + "1" + "y" * 200, "x" * 300 + "2" + "y" * 200
        self.assertEqual(shorten(before, after), ["… " + "x" * 40 + digit + "y" * 79 + " …" for digit in "12"])
        self.assertEqual(shorten("a\n  b", "a c"), ["a b", "a c"])


def program(name, folder, **words):
    return name, Program(**{"name": name, "folder": folder, "runs_ranks": False, "runs_all": False, "is_test": True, **words})


class ConcernedTests(unittest.TestCase):
    programs = dict([program("a_test", "base"), program("b_test", "model/encoder"), program("helper", "model", is_test=False),
                     program("c_test", "model", runs_all=True), program("d_test", "launcher", runs_all=True)])

    def test_the_mirrored_folder_or_the_next_above(self):
        self.assertEqual(mirrored_programs(self.programs, "model/encoder/x.cpp"), ["b_test"])
        self.assertEqual(mirrored_programs(self.programs, "model/head/x.cpp"), ["c_test"])
        self.assertEqual(mirrored_programs(self.programs, "data/x.cpp"), [])

    def test_tests_of_mutants_picked_in_the_folder_come_too(self):
        picked = [Mutant("m", f"{folder}/y.cpp", 0, "", "", (Tests((name,), f"^{name}$", "A.*"),))
                  for folder, name in (("model/encoder", "d_test"), ("model/encoder", "a_test"), ("base", "c_test"))]
        self.assertEqual(concerned_tests("model/encoder/x.cpp", picked, self.programs),
                         (Tests(("a_test", "b_test"), r"^(b_test)(\.|$)|^a_test$"), Tests(("d_test",), "^d_test$")))

    def test_programs_of_cmake_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "tests/dist/CMakeLists.txt"
            path.parent.mkdir(parents=True)
            path.write_text("# gausscse_test(NAME x)\ngausscse_mpi_test(m_test NP 1\n  SOURCES a.cpp)\ngausscse_program_test(p_test QUICK)\n"
                            "gausscse_test(q_test SOURCES a.cpp LABEL program)\ngausscse_test(u_test SOURCES a.cpp)\n"
                            "gausscse_test(g_test LABEL gpu SOURCES a.cpp)\nadd_executable(h h.cpp)\n", encoding="utf-8")
            read = read_programs(pathlib.Path(folder))
        self.assertEqual(read, dict([program("m_test", "dist", runs_ranks=True), program("p_test", "dist", runs_all=True),
                                     program("q_test", "dist", runs_all=True), program("u_test", "dist"),
                                     program("g_test", "dist", is_test=False), program("h", "dist", is_test=False)]))

    def test_names_of_a_programs_tests(self):
        self.assertRegex("a_test.np2", tests_of(["a_test"]))
        self.assertNotRegex("a_test_more", tests_of(["a_test"]))


class MutantsOfABranch(unittest.TestCase):
    def test_lines_since_the_branch_left_its_base(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)

            def write(file, *lines):
                (root / file).parent.mkdir(exist_ok=True)
                (root / file).write_text("\n".join(["int f() {", *lines, "}", ""]), encoding="utf-8")

            def commit():
                git(root, "add", "-A")
                git(root, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "-m", "x")

            git(root, "init", "-q", "-b", "main")
            write("base/a.cpp", "  return a < b;")
            write("base/b.cpp", "  return a < b;")
            write("tests/c.cpp", "  return a < b;")
            commit()
            git(root, "checkout", "-q", "-b", "work")
            write("base/a.cpp", "  if (c) return 1;", "  return a < b;")
            write("tests/c.cpp", "  return a > b;")
            commit()
            git(root, "checkout", "-q", "main")
            write("base/b.cpp", "  return a > b;")
            commit()
            git(root, "checkout", "-q", "work")
            write("base/a.cpp", "  if (c) return 1;", "  return a < b;", "  g(2);")  # not committed
            write("base/new.cpp", "  return !a;")
            names = [mutant.name for mutant in make_mutants(root, "main", [], {})]
        self.assertEqual(names, ["base/a.cpp:2: constant: if (c) return 1; → if (c) return 2;",
                                 "base/a.cpp:4: removed call: g(2); → {}", "base/a.cpp:4: constant: g(2); → g(3);",
                                 "base/new.cpp:2: logic: return !a; → return a;"])


class TheTree(unittest.TestCase):
    def test_every_file_of_the_product_has_concerned_tests(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        programs = read_programs(root)
        for file in ("base/text.cpp", "dist/mpi/session.cpp", "model/kernels/cuda/attention/attention.cuh",
                     "launcher/commands/train.cpp"):
            self.assertTrue(mirrored_programs(programs, file), file)


if __name__ == "__main__":
    unittest.main()
