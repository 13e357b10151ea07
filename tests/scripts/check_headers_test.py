#!/usr/bin/env python3
"""Tests which headers scripts/check_headers.py --changed compiles, in a tree of five headers that is made here."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import check_headers  # noqa: E402

# A header of a chain includes the one before it; alone.hpp is outside of the chain.
TREE = {"first.hpp": "", "second.hpp": '#include "first.hpp"\n', "third.hpp": '#include "second.hpp"\n',
        "fourth.hpp": '#include "third.hpp"\n', "alone.hpp": "#include <vector>\n"}  # fmt: skip


class Affected(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        for name, text in TREE.items():
            pathlib.Path(name).write_text(text, encoding="utf-8")
        self.git("init", "-q")
        self.commit()

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=test", "-c", "user.email=test@localhost", *words], check=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "headers")

    def affected(self, base="HEAD"):
        headers = sorted(path.name for path in pathlib.Path().glob("*.hpp"))
        return check_headers.affected(headers, check_headers.included_by(headers), base)

    def test_nothing_changed(self):
        self.assertEqual(self.affected(), [])

    def test_a_changed_header_and_those_that_include_it(self):
        pathlib.Path("second.hpp").write_text("", encoding="utf-8")
        self.assertEqual(self.affected(), ["fourth.hpp", "second.hpp", "third.hpp"])
        self.commit()
        self.assertEqual(self.affected(), [])
        self.assertEqual(self.affected("HEAD~1"), ["fourth.hpp", "second.hpp", "third.hpp"])

    def test_a_header_that_is_gone(self):
        pathlib.Path("first.hpp").unlink()
        self.assertEqual(self.affected(), ["fourth.hpp", "second.hpp", "third.hpp"])

    def test_a_header_that_git_does_not_know_yet(self):
        pathlib.Path("new.hpp").write_text('#include "alone.hpp"\n', encoding="utf-8")
        self.assertEqual(self.affected(), ["new.hpp"])

    def test_a_header_that_is_included_by_a_part_of_its_path(self):
        pathlib.Path("tests/support/parts").mkdir(parents=True)
        pathlib.Path("tests/support/parts/part.hpp").write_text("", encoding="utf-8")
        pathlib.Path("alone.hpp").write_text('#include "parts/part.hpp"\n', encoding="utf-8")
        self.commit()
        pathlib.Path("tests/support/parts/part.hpp").write_text("// changed\n", encoding="utf-8")
        self.assertEqual(self.affected(), ["alone.hpp"])

    def test_all_without_a_commit_to_compare_with(self):
        self.assertEqual(self.affected(None), sorted(TREE))
        self.assertEqual(self.affected("nowhere"), sorted(TREE))


if __name__ == "__main__":
    unittest.main()
