"""Writes csv_cases.json: short texts and the rows that Python's csv module reads from them.

    python make_csv_cases.py

A text whose last quote is never closed has null for rows: there the reader under test refuses.
"""

import csv
import io
import json
import pathlib
import random

PIECES = ["a", "bc", "é", " ", "\t", "\0", ",", ",", ",", '"', '"', '"', '""', "\n", "\n", "\r\n", "\r", "x,y", '"q"']


def rows_of(text):
    """Rows as Python reads them; None if a quote stays open."""
    after = list(csv.reader(io.StringIO(text + "\nX", newline="")))
    if after[-1] != ["X"]:
        return None
    return list(csv.reader(io.StringIO(text, newline="")))


def random_text(draws):
    return "".join(draws.choice(PIECES) for _ in range(draws.randint(0, 14)))


def main():
    draws = random.Random(20240401)
    texts = ["", "\n", ",", '"', '""', '"a\nb",c', '"a""b"', 'a"b', '"a"b', "a\rb", "a\r\nb", "a\n\rb", "a,", '"a",\n']
    texts += sorted({random_text(draws) for _ in range(1500)})
    cases = [{"text": text, "rows": rows_of(text)} for text in texts]
    path = pathlib.Path(__file__).parent / "csv_cases.json"
    path.write_text("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]\n")


if __name__ == "__main__":
    main()
