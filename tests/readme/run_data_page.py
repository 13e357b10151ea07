#!/usr/bin/env python3
"""Runs the Python blocks of docs/data.md on files of other layouts, compares what they write with what is expected, and lets
the program read it: run_data_page.py DATA.md PROGRAM. Ends with 77 (skipped) where pandas is missing.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import pandas  # noqa: F401
except ImportError:
    print("SKIPPED: no pandas")
    sys.exit(77)

GIVEN = {
    "premise_hypothesis_label.csv": (
        ',premise,hypothesis,label\n0,"A man, a dog.",null,0\n1,"A man, a dog.","He says ""no"" / é",1\n'
        '2,"A man, a dog.",Nobody.,2\n3,B,C,-1\n'),
    "anchor_positive_negative.jsonl": (
        '{"anchor": "A man, a dog.", "positive": "A \\"dog\\".", "negative": "Nobody."}\n'
        '{"negative": "d", "anchor": "b", "positive": "c"}\n'),
}
WRITTEN = {
    "pairs.jsonl": (
        '{"sentence1":"A man, a dog.","sentence2":"null","gold_label":"entailment"}\n'
        '{"sentence1":"A man, a dog.","sentence2":"He says \\"no\\" \\/ é","gold_label":"neutral"}\n'
        '{"sentence1":"A man, a dog.","sentence2":"Nobody.","gold_label":"contradiction"}\n'
        '{"sentence1":"B","sentence2":"C","gold_label":"-"}\n'),
    "triples.csv": 'sent0,sent1,hard_neg\n"A man, a dog.","A ""dog"".",Nobody.\nb,c,d\n',
}


def main():
    page, program = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 2, blocks
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in GIVEN.items():
            pathlib.Path(name).write_text(text, encoding="utf-8")
        for block in blocks:
            exec(compile(block, str(page), "exec"), {})
        for name, text in WRITTEN.items():
            written = pathlib.Path(name).read_text(encoding="utf-8")
            # Versions of pandas differ in the last end of line.
            assert written.rstrip("\n") == text.rstrip("\n"), (name, written)
        run = subprocess.run([program, "lengths", "pairs.jsonl", "--json", "-"], capture_output=True, text=True)
        assert run.returncode == 0, run
        (read,) = json.loads(run.stdout)["sets"]
        assert (read["pairs"], read["without_gold_label"], read["positives"]) == (3, 1, 1 / 3), read
        os.chdir("/")


if __name__ == "__main__":
    main()
