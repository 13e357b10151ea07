#!/usr/bin/env python3
"""Peak memory of `gausscse encode` for files of more and more lines, as a table: it must not grow with them.

    encode_lines.py --build build/cpu --model MODEL [--lines 100000,10000000]

MODEL is what encode takes: a folder of an encoder, or a text file of word vectors; `--model words` makes one of 1,000
words of 50 dimensions, with which ten million lines take minutes and 3 GB of disk in the folder for temporary files.
"""

import argparse
import pathlib
import random
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "peers"))
import gausscse_runs  # noqa: E402
import h5py  # noqa: E402

WORDS = 1000
DIMENSIONS = 50


def write_word_vectors(path):
    draw = random.Random(1)
    with open(path, "w", encoding="utf-8") as file:
        for word in range(WORDS):
            values = " ".join(f"{draw.gauss(0, 1):.4f}" for _ in range(DIMENSIONS))
            file.write(f"w{word} {values}\n")


def write_lines(path, count):
    draw = random.Random(2)
    some = [" ".join(f"w{draw.randrange(WORDS)}" for _ in range(draw.randrange(3, 20))) for _ in range(10000)]
    with open(path, "w", encoding="utf-8") as file:
        for line in range(count):
            file.write(f"{some[line % len(some)]} w{line % WORDS}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--lines", default="100000,10000000", help="separated by commas")
    parser.add_argument("--threads", type=int, default=2)
    settings = parser.parse_args()
    print("| lines | seconds | peak memory, MB | output, MB |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        model = settings.model
        if model == "words":
            model = scratch / "words.txt"
            write_word_vectors(model)
        for count in map(int, settings.lines.split(",")):
            write_lines(scratch / "lines.txt", count)
            output = scratch / "embeddings.h5"
            command = [settings.build / "gausscse", "--threads", settings.threads, "encode", model, scratch / "lines.txt", output]
            _, seconds, peak = gausscse_runs.run_program(command, settings.threads)
            with h5py.File(output) as embeddings:
                rows = {name: len(values) for name, values in embeddings.items()}
            if set(rows.values()) != {count}:
                sys.exit(f"encode_lines.py: {count} lines went in, and out came {rows}")
            print(f"| {count:,} | {seconds:.1f} | {peak:,.0f} | {output.stat().st_size / 2**20:,.0f} |", flush=True)
            output.unlink()


if __name__ == "__main__":
    main()
