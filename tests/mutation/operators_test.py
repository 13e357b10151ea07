#!/usr/bin/env python3
"""Tests of the operators: the lines that each of them makes of C++, and the text that none changes."""

import sys
import unittest

sys.dont_write_bytecode = True
from operators import changes_of


def results(text):
    return [(change.operator, text[: change.begin] + change.new + text[change.end :]) for change in changes_of(text)]


def in_body(*lines):
    """Returns the operators that change these lines of a function's body, each with the lines that it makes."""
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


class Unchanged(unittest.TestCase):
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


if __name__ == "__main__":
    unittest.main()
