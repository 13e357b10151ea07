#!/usr/bin/env python3
"""Tests scripts/check_comments.py on small trees, each with one comment."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "scripts/check_comments.py"


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
