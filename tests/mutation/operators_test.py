#!/usr/bin/env python3
"""What each operator makes of lines of C++, and what none of them changes."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from mutants import Mutant, Tests, changed_lines, concerned_tests, git, make_mutants, mutants_of_file, shorten
from operators import changes_of
from programs import Program, mirrored_programs, read_programs, tests_of


def results(text):
    return [(change.operator, text[: change.begin] + change.new + text[change.end :]) for change in changes_of(text)]


def in_body(*lines):
    """What is made of the lines in a function's body: pairs of an operator and the changed lines."""
    head, tail = "void f() {\n", "\n}\n"
    made = results(head + "\n".join(lines) + tail)
    return [(operator, text.removeprefix(head).removesuffix(tail)) for operator, text in made]


class Operators(unittest.TestCase):
    def expect(self, line, *expected):
        self.assertEqual(sorted(in_body(line)), sorted(expected), line)

    def test_comparison(self):
        for pair in ("< <=", "<= <", "> >=", ">= >", "== !=", "!= =="):
            one, other = pair.split()
            self.expect(f"return a {one} b;", ("comparison", f"return a {other} b;"))

    def test_a_comparison_that_ends_its_line(self):
        self.assertEqual(in_body("return a <", "    b;"), [("comparison", "return a <=\n    b;")])

    def test_sign(self):
        self.expect("return a + b;", ("sign", "return a - b;"))
        self.expect("return a - b;", ("sign", "return a + b;"))
        self.expect("return -a;", ("sign", "return a;"))
        self.expect("return a * -b;", ("factor", "return a / -b;"), ("sign", "return a * b;"))
        self.expect("int x = (-b);", ("sign", "int x = (b);"))
        self.expect("for (; a; i += b) ++c;", ("sign", "for (; a; i -= b) ++c;"))

    def test_factor(self):
        self.expect("return a * b;", ("factor", "return a / b;"))
        self.expect("return a / b;", ("factor", "return a * b;"))
        self.expect("return a % b;", ("factor", "return a / b;"))
        self.expect('return a / "b";')
        self.expect("if (a) *b *= c;", ("factor", "if (a) *b /= c;"))

    def test_logic(self):
        self.expect("return a && b;", ("logic", "return a || b;"))
        self.expect("return a || b;", ("logic", "return a && b;"))
        self.expect("return !a;", ("logic", "return a;"))
        self.expect("return true;", ("logic", "return false;"))
        self.expect("return false;", ("logic", "return true;"))

    def test_constant(self):
        cases = {"0": "1", "1": "2", "9U": "10U", "1'000": "1001", "0x1F": "(0x1F + 1)", "0b10": "(0b10 + 1)",
                 "0.5": "(0.5 * 2)", "1.5F": "(1.5F * 2)", "1e-6": "(1e-6 * 2)", "2.": "(2. * 2)", "0.0": "1.0", "0.0F": "1.0F"}
        for one, other in cases.items():
            self.expect(f"return {one};", ("constant", f"return {other};"))
        self.expect("return 5s;")

    def test_argument_order(self):
        self.expect("return f(a, b);", ("argument order", "return f(b, a);"))
        self.expect("return f(a, b, c);", ("argument order", "return f(b, a, c);"), ("argument order", "return f(a, c, b);"))
        self.expect("return Row{a, g(b)};", ("argument order", "return Row{g(b), a};"))
        self.expect("return {a, b};", ("argument order", "return {b, a};"))
        self.expect("return f<int, long>(a, b);", ("argument order", "return f<int, long>(b, a);"))
        self.expect("return f(std::map<int, long>(), b);", ("argument order", "return f(b, std::map<int, long>());"))
        self.expect("Row row(a, b);", ("argument order", "Row row(b, a);"))
        self.assertEqual(in_body("return f(a,", "         b);"), [("argument order", "return f(b,\n         a);")])

    def test_orders_that_mean_nothing(self):
        self.expect("return f(a, a);")
        self.expect("return std::min(a, b);")
        self.expect("return concat(a, b);")
        self.expect("return Row{.a = x, .b = y};")
        self.expect("return find(a.begin(), a.end());")
        self.expect('return f("a", b);')
        self.expect("return f([&] { return x; }, b);")
        self.expect("const auto f = [](int a, const Row& b, Row* c) { return d; };")

    def test_removed_call(self):
        self.expect("a.f(b);", ("removed call", "{}"))
        self.expect("a->b[c].f();", ("removed call", "{}"))
        self.expect("if (a) std::f(b);", ("removed call", "if (a) {}"))
        self.expect("if (a) f(b); else g(c);", ("removed call", "if (a) {} else g(c);"), ("removed call", "if (a) f(b); else {}"))
        self.expect("return f(a);")
        self.expect("throw Error(a);")
        self.expect("Row row(a);")
        self.expect("const Row row = f(a);")
        self.expect("GAUSSCSE_CHECK(a);")
        self.expect("a.b().reserve(c);")

    def test_removed_assignment(self):
        self.expect("a.b = c;", ("removed assignment", "{}"))
        self.expect("a[b] |= c;", ("removed assignment", "{}"))
        self.expect("a += b;", ("removed assignment", "{}"), ("sign", "a -= b;"))
        self.expect("const auto b = c;")
        self.expect("auto [a, b] = c;")
        self.expect("Row& a = b;")
        self.expect("for (a = b; c; d = e) {")


class WhatIsLeft(unittest.TestCase):
    def expect_nothing(self, text):
        self.assertEqual(results(text), [], text)

    def test_text_and_comments(self):
        self.assertEqual(in_body('return "a + 1 == b";', "// f(a, b) && 1", "/* 1 < 2", "   3 */ return '1';"), [])
        self.assertEqual(in_body('return R"x(1 < 2)" + 3)x";'), [])
        self.assertEqual(in_body('return "\\"" + a;'), [])

    def test_directives(self):
        self.expect_nothing("#include <a/b.hpp>\n#if A > 1 && B\n  #define F(a) \\\n  g(a, 1)\n#endif\n")

    def test_declarations(self):
        self.expect_nothing("namespace a {\nstruct B final : C<1> {\n  explicit B(int a, int b);\n  B();\n  void f(int, T& t) const;\n};\n}\n")
        self.expect_nothing("enum class Kind { one, two };\nclass A;\nusing B = std::array<int, 3>;\ntemplate <int N>\nvoid f();\n")
        self.expect_nothing("struct A {\n  virtual void f() = 0;\n  A& operator=(const A&) = default;\n  bool operator==(const A&) const = delete;\n};\n")
        self.expect_nothing("static_assert(sizeof(A) == 4);\n")
        self.assertEqual(in_body("std::vector<int> a;", "int* b;", "const Row& c(d);", "struct Local {", "  int a(int, int);", "};"), [])

    def test_values_in_declarations(self):
        self.assertEqual(results("struct A {\n  int a = 3;\n  int b;\n};\n"), [("constant", "struct A {\n  int a = 4;\n  int b;\n};\n")])
        self.assertEqual(results("void f(int a = 1, int b);\n"), [("constant", "void f(int a = 2, int b);\n")])
        self.assertEqual(results("constexpr int a = b * c;\nclass D;\n"), [("factor", "constexpr int a = b / c;\nclass D;\n")])
        self.assertEqual(results("struct A {\n  A(int b) : a_{1}, c_(b) {}\n  A(int, int);\n};\n"),
                         [("constant", "struct A {\n  A(int b) : a_{2}, c_(b) {}\n  A(int, int);\n};\n")])

    def test_bodies_in_classes(self):
        text = "template <class T>\nstruct A {\n  int f() const {\n    return a < b;\n  }\n  int g(int, int);\n};\n"
        self.assertEqual(results(text), [("comparison", text.replace("a < b", "a <= b"))])


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
            names = [mutant.name for mutant in make_mutants(root, "main", [], {})]
        self.assertEqual(names, ["base/a.cpp:2: constant: if (c) return 1; → if (c) return 2;",
                                 "base/a.cpp:4: removed call: g(2); → {}", "base/a.cpp:4: constant: g(2); → g(3);"])


class TheTree(unittest.TestCase):
    def test_every_file_of_the_product_has_concerned_tests(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        programs = read_programs(root)
        for file in ("base/utf8.cpp", "dist/mpi/session.cpp", "model/kernels/cuda/attention.cuh", "launcher/commands/train.cpp"):
            self.assertTrue(mirrored_programs(programs, file), file)


if __name__ == "__main__":
    unittest.main()
