"""Compares the program csv_rows with Python's csv module on random texts; exits with 1 on the first difference.

    python compare_csv.py BUILD/tests/data/corpus/csv_rows [NUMBER_OF_TEXTS]
"""

import json
import random
import struct
import subprocess
import sys

from make_csv_cases import case_of, random_text


def main():
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
    draws = random.Random(7)
    texts = [random_text(draws) + random_text(draws) for _ in range(number)]
    encoded = [text.encode() for text in texts]
    given = b"".join(struct.pack("<I", len(text)) + text for text in encoded)
    lines = subprocess.run([sys.argv[1]], input=given, stdout=subprocess.PIPE, check=True).stdout.splitlines()
    if len(lines) != number:
        sys.exit(f"{len(lines)} answers to {number} texts")
    refused = 0
    for text, line in zip(texts, lines):
        expected = case_of(text)["rows"]
        # Before Python takes the text, the reader under test leaves out a byte order mark; there is none here.
        refused += expected is None
        if json.loads(line) != expected:
            sys.exit(f"text {text!r}: Python reads {expected!r}, csv_rows {line.decode()}")
    print(f"{number} texts, {refused} of them refused: no difference")


if __name__ == "__main__":
    main()
