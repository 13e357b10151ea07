#!/usr/bin/env python3
"""Tests scripts/check_layers.py on small trees, each with one fault."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "scripts/check_layers.py"
SOUND = {
    "docs/developers/structure.md": "# Code\n\n```layers\ntop/house\ntop\nleft right\nbottom\n```\n",
    "top/CMakeLists.txt": "library(top SOURCES main.cpp house/door.cpp)\n",
    "top/main.cpp": '#include "left/a.hpp"\n',
    "top/house/door.cpp": '#include "top/main.hpp"\n#include "bottom/deep/b.hpp"\n',
    "top/main.hpp": "\n",
    "left/a.hpp": "#include <vector>\n",
    "right/a.hpp": '  #  include "bottom/deep/b.hpp"\n',
    "bottom/deep/b.hpp": '#include "bottom/c.hpp"\n#include "right.hpp"\n',
    "bottom/c.hpp": "\n",
    "tests/CMakeLists.txt": "test(SOURCES a_test.cpp)\n",
    "tests/left/a_test.cpp": '#include "top/main.hpp"\n',
    **{f"{folder}/long.hpp": "\n" * 50 for folder in ("top", "left", "right", "bottom")},
}


def check(changes):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**SOUND, **changes}.items():
            if text is not None:
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
        run = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True)
        return run.returncode, run.stderr


class CheckLayers(unittest.TestCase):
    def refuses(self, changes, *texts):
        code, said = check(changes)
        self.assertEqual(code, 1)
        self.assertEqual(len(said.splitlines()), 1, said)
        for text in texts:
            self.assertIn(text, said)

    def test_accepts_a_sound_tree(self):
        self.assertEqual(check({}), (0, ""))

    def test_refuses_a_folder_above(self):
        self.refuses({"left/a.hpp": '#include "top/main.hpp"\n'}, "left/a.hpp: includes top/main.hpp: top is not below left")

    def test_refuses_a_folder_above_within_one(self):
        self.refuses({"top/main.hpp": '#include "top/house/x.hpp"\n', "top/house/x.hpp": "\n"}, "top/house is not below top")

    def test_refuses_a_folder_of_the_same_line(self):
        self.refuses({"left/a.hpp": '#include "right/a.hpp"\n'}, "right is not below left")

    def test_refuses_a_file_in_no_list(self):
        self.refuses({"tests/left/b_test.cpp": "\n"}, "tests/left/b_test.cpp: no CMakeLists.txt of tests names it")
        self.refuses({"top/other.cpp": "\n"}, "top/other.cpp: no CMakeLists.txt of top names it")

    def test_refuses_a_listed_folder_without_files(self):
        self.refuses({"docs/developers/structure.md": SOUND["docs/developers/structure.md"].replace("left", "left gone")}, "gone: is in the list")

    def test_refuses_users_of_studies_that_are_always_built(self):
        layers = {"docs/developers/structure.md": SOUND["docs/developers/structure.md"].replace("left right", "left right\nexperiments"),
                  "experiments/a.hpp": "\n"}
        self.refuses({**layers, "top/main.hpp": '#include "experiments/a.hpp"\n'}, "top/main.hpp: includes experiments/a.hpp")

    def test_refuses_tests_of_studies_that_are_always_built(self):
        listed = "if(GAUSSCSE_STUDIES)\n  add_subdirectory(grid)\n  target_sources(t PRIVATE left/b_test.cpp)\n{}endif()\ntest(a_test.cpp)\n"
        tree = {"tests/CMakeLists.txt": listed.format(""), "tests/grid/CMakeLists.txt": "test(c_test.cpp)\n",
                "tests/left/b_test.cpp": '#include "experiments/a.hpp"\n', "tests/grid/d.hpp": '#include "experiments/a.hpp"\n',
                "tests/grid/c_test.cpp": '#include "tests/grid/d.hpp"\n'}
        self.assertEqual(check(tree), (0, ""))
        self.refuses({**tree, "tests/CMakeLists.txt": listed.format("else()\n").replace("  target", "else()\n  target")},
                     "tests/left/b_test.cpp: includes experiments/a.hpp: builds without experiments lack it")
        self.refuses({**tree, "tests/left/a_test.cpp": '#include "tests/grid/d.hpp"\n'},
                     "tests/left/a_test.cpp: includes tests/grid/d.hpp")

    def test_refuses_a_large_folder(self):
        self.refuses({"bottom/c.hpp": "\n" * 100}, "bottom: has 152 of 308 lines")

    def test_refuses_pages_without_a_list(self):
        self.refuses({"docs/developers/structure.md": "# Code\n"}, "has no list of layers")


if __name__ == "__main__":
    unittest.main()
