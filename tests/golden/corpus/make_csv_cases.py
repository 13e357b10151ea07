"""Writes csv_cases.json: short texts and the rows that Python's csv module reads from them with `strict`.

    python make_csv_cases.py

A text that it refuses has null for rows, and what it says: a quote is never closed, or text follows a closing quote. A
line of blanks and tabs has no field, as an empty one.
"""

import csv
import io
import json
import pathlib
import random

PIECES = ["a", "bc", "é", " ", "\t", "\0", ",", ",", ",", '"', '"', '"', '""', "\n", "\n", "\r\n", "\r", "x,y", '"q"']


def rows_of(text):
    """Rows as Python reads them."""
    lines = []

    def told():
        for line in io.StringIO(text, newline=""):
            lines.append(line)
            yield line

    rows = []
    for row in csv.reader(told(), strict=True):
        rows.append([] if "".join(lines).strip(" \t\r\n") == "" else row)
        lines.clear()
    return rows


def case_of(text):
    try:
        return {"text": text, "rows": rows_of(text)}
    except csv.Error as error:
        return {"text": text, "rows": None, "error": str(error)}


def random_text(draws):
    return "".join(draws.choice(PIECES) for _ in range(draws.randint(0, 14)))


def main():
    draws = random.Random(20240401)
    texts = ["", "\n", ",", '"', '""', '"a\nb",c', '"a""b"', 'a"b', '"a"b', "a\rb", "a\r\nb", "a\n\rb", "a,", '"a",\n']
    texts += sorted({random_text(draws) for _ in range(1500)})
    cases = [case_of(text) for text in texts]
    path = pathlib.Path(__file__).parent / "csv_cases.json"
    path.write_text("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]\n")


if __name__ == "__main__":
    main()
