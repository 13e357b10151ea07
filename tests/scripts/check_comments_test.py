#!/usr/bin/env python3
"""Tests scripts/check_comments.py on small trees, each with one comment."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "scripts/check_comments.py"
sys.path.insert(0, str(CHECK.parent))

from check_comments import faults_in, python_faults_in  # noqa: E402


def check(source, file="top/a.hpp"):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs/developers").mkdir(parents=True)
        (root / "docs/developers/structure.md").write_text("```layers\ntop\n```\n", encoding="utf-8")
        if source is not None:
            (root / file).parent.mkdir()
            (root / file).write_text(source, encoding="utf-8")
        run = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True)
        return run.returncode, run.stderr


class CheckComments(unittest.TestCase):
    def refuses(self, source, line, file="top/a.hpp"):
        code, said = check(source, file)
        self.assertEqual((code, said.count("\n")), (1, 1), said)
        self.assertIn(f"{file}:{line}: ", said)

    def accepts(self, source):
        self.assertEqual(check(source), (0, ""))

    def refuses_at(self, source, line):
        self.assertEqual([number for number, _ in faults_in(source)], [line], source)

    def finds_nothing(self, source):
        self.assertEqual(list(faults_in(source)), [])

    def test_beginnings(self):
        self.refuses("/// What is left of a stage.\nint a;\n", 1)
        self.refuses("int a;\n\n  /// Whether it is done.\n  bool b;\n", 3)
        self.refuses("int a;  ///< of the batch\n", 1)
        self.refuses("/// Number of rows.\nint a;  ///< which rows\n", 2)
        self.refuses("/// A class.\nclass A {};\n/// Of a rank.\nint b;\n", 3)

    def test_tests_are_checked_too(self):
        self.refuses("/// Of a rank.\nint a;\n", 1, "tests/a_test.cpp")

    def test_words(self):
        self.refuses("int a;  // told by rank 0\n", 1)
        self.refuses("/// Writes a file beside it.\nvoid f();\n", 1)
        self.refuses("/// Returns a number.\n/// It tells the rank.\nint f();\n", 2)

    def test_clauses_behind_a_verb(self):
        for opening in ("Returns what a step takes", "Returns the same for a file", "Does the same", "Returns how many rows there are",
                        "Adds what it read", "Removes those of a rank", "Returns where it is"):
            with self.subTest(opening):
                self.refuses_at(f"/// {opening}.\nint f();\n", 1)
                self.refuses_at(f"int f();  // {opening}.\n", 1)
                self.refuses_at(f"/// Reads the rows\n/// of a rank. {opening}.\nint f();\n", 1)
        self.finds_nothing("/// Returns whether it is done; keeps the same bits.\nbool f();  // returns how many, see `Returns what`\n")
        self.finds_nothing('/// Returns the text "x". `what` is a name. Rows whose number is odd, those which are long.\nint f();\n')

    def test_long_sentences(self):
        def words(count):
            return "/// Reads\n/// " + " ".join(["row"] * (count - 1))

        self.finds_nothing(words(40) + ".\nint a;\n")
        self.refuses_at(words(41) + ".\nint a;\n", 1)
        self.refuses_at("int b;\n\n// Reads a row. " + "Word " * 41 + ".\nint a;\n", 3)
        self.finds_nothing(words(30) + ". A row; " + "row " * 20 + ".\nint a;\n")
        self.finds_nothing(words(39) + " `a b c d e f`.\nint a;\n")
        self.finds_nothing(words(39) + " + - = (.\nint a;\n")

    def test_paragraphs(self):
        half = " ".join(["row"] * 25)
        self.refuses_at(f"/// {half}\n/// {half}\nint a;\n", 1)
        for between in ("///", "int b;", "int b;  ///< rows", "/// - rows", "/// ```\n/// code\n/// ```", "///     code();"):
            with self.subTest(between):
                self.finds_nothing(f"/// {half}\n{between}\n/// {half if between != '/// - rows' else 'x'}\nint a;\n")
        self.finds_nothing(f"///   a   {half}\n///   b   {half}\nint a;\n")
        self.refuses_at(f"/// Kinds:\n///  - {half}\n///    {half}\nint a;\n", 2)

    def test_python(self):
        for text in ("What it reads.", "Of a rank.", "Reads a row. Returns what a step takes."):
            source = f'import re\n\n\ndef f():\n    """{text}"""\n'
            with self.subTest(text):
                self.assertEqual([number for number, _ in python_faults_in(source)], [5])
        self.refuses('def f():\n    """Returns what it is."""\n', 2, "scripts/a.py")
        self.assertEqual(list(python_faults_in('def f():\n    """Returns a row. Of two, the first."""\n    return "What"\n')), [])

    def test_a_clause_fails_the_check(self):
        self.refuses("/// Returns a row.\n/// Returns what a step takes.\nint f();\n", 1)

    def test_sound_comments(self):
        self.accepts("/// Returns the rows of a rank.\n/// Of two equal ones the first counts.\nint f();\n")
        self.accepts("/// Whichever_name is an identifier; so is `what beside`.\nint f();  // How often: 3\n")
        self.accepts('const char* text = "/// What is told";\nint a = 1\'000;  // see b\n')
        self.accepts("int whatever = 1, told = 2;\n")

    def test_tree_without_sources(self):
        code, said = check(None)
        self.assertEqual(code, 1)
        self.assertIn("nothing is checked", said)


if __name__ == "__main__":
    unittest.main()
