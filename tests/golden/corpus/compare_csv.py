"""Compares the program csv_rows with Python's csv module on random texts; exits with 1 on the first difference.

    python compare_csv.py BUILD/tests/data/corpus/csv_rows [NUMBER_OF_TEXTS]

For a text that the module refuses with `strict`, the program prints why. A line of blanks and tabs has no field, as an
empty one.
"""

import csv
import io
import json
import random
import struct
import subprocess
import sys

PIECES = ["a", "bc", "é", " ", "\t", "\0", ",", ",", ",", '"', '"', '"', '""', "\n", "\n", "\r\n", "\r", "x,y", '"q"']
REFUSALS = {"unexpected end of data": "open", "',' expected after '\"'": "follows"}


def rows_of(text):
    """Rows as Python reads them, or why it refuses the text."""
    lines = []

    def told():
        for line in io.StringIO(text, newline=""):
            lines.append(line)
            yield line

    rows = []
    try:
        for row in csv.reader(told(), strict=True):
            rows.append([] if "".join(lines).strip(" \t\r\n") == "" else row)
            lines.clear()
    except csv.Error as error:
        return REFUSALS[str(error)]
    return rows


def main():
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
    draws = random.Random(7)
    texts = ["".join(draws.choice(PIECES) for _ in range(draws.randint(0, 14 if i % 2 else 28))) for i in range(number)]
    encoded = [text.encode() for text in texts]
    given = b"".join(struct.pack("<I", len(text)) + text for text in encoded)
    lines = subprocess.run([sys.argv[1]], input=given, stdout=subprocess.PIPE, check=True).stdout.splitlines()
    if len(lines) != number:
        sys.exit(f"{len(lines)} answers to {number} texts")
    refused = 0
    for text, line in zip(texts, lines):
        expected = rows_of(text)
        # Before Python takes the text, the reader under test leaves out a byte order mark; there is none here.
        refused += isinstance(expected, str)
        if json.loads(line) != expected:
            sys.exit(f"text {text!r}: Python reads {expected!r}, csv_rows {line.decode()}")
    print(f"{number} texts, {refused} of them refused: no difference")


if __name__ == "__main__":
    main()
