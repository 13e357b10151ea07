#!/usr/bin/env python3
"""Tests the list of files in docs/developers/structure.md that leads a reader from `main` to the formula of the loss."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ITEM = re.compile(r"^\d+\. `([^`]+)`: .*?(?:\(`(\w+)`\))?\.$", re.MULTILINE)


def items():
    text = (ROOT / "docs/developers/structure.md").read_text(encoding="utf-8")
    return ITEM.findall(text.split("## Read these six files first")[1].split("\n## ")[0])


class ReadingList(unittest.TestCase):
    def test_begins_with_main_and_has_six_files(self):
        files = [file for file, _ in items()]
        self.assertEqual(len(files), 6)
        self.assertEqual(files[0], "launcher/main.cpp")
        self.assertIn("int main(", (ROOT / files[0]).read_text(encoding="utf-8"))

    def test_each_file_names_a_function_or_class_that_the_next_defines(self):
        steps = items()
        for (file, name), (next_file, _) in zip(steps, steps[1:]):
            here, there = ((ROOT / each).read_text(encoding="utf-8") for each in (file, next_file))
            self.assertRegex(here, rf"\b{name}\b", f"{file} names {name}")
            definition = rf"^(?:class {name}\b.*\{{|[\w:]+ {name}(?:::\w+)?\(|{name}::{name}\()"
            self.assertRegex(there, re.compile(definition, re.MULTILINE), f"{next_file} defines {name}")
            self.assertIn(pathlib.Path(next_file).name.removesuffix(".cpp"), here, f"{file} names {next_file}")

    def test_ends_with_the_equations_of_the_paper(self):
        text = (ROOT / items()[-1][0]).read_text(encoding="utf-8")
        documentation = re.search(r"((?:^///.*\n)+)class GaussianLoss", text, re.MULTILINE)[1]
        for equation in ("eq. 1", "eq. 2", "eq. 3", "-log(exp(sim(s_i+ || s_i) / tau)"):
            self.assertIn(equation, documentation)


if __name__ == "__main__":
    unittest.main()
