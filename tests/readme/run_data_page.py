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
    "claim_evidence_verdict.csv": (
        ',evidence,claim,verdict\n0,"A man, a dog.",null,1\n1,"A man, a dog.","He says ""no"" / é",0\n'
        '2,"A man, a dog.",Nobody.,2\n3,B,C,-1\n'),
}
WRITTEN = {
    "pairs.jsonl": (
        '{"premise":"A man, a dog.","hypothesis":"null","label":"entailment"}\n'
        '{"premise":"A man, a dog.","hypothesis":"He says \\"no\\" \\/ é","label":"neutral"}\n'
        '{"premise":"A man, a dog.","hypothesis":"Nobody.","label":"contradiction"}\n'
        '{"premise":"B","hypothesis":"C","label":"-"}\n'),
}


def main():
    page, program = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 1, blocks
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
