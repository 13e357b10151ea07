#!/usr/bin/env python3
"""Prints the distinct sentences of SNLI jsonl files, one a line, in the order of their first appearance."""

import argparse

from nli_pairs import read_snli


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--limit", type=int, default=0, help="print at most so many; 0: all")
    arguments = parser.parse_args()
    sentences = {}
    for path in arguments.files:
        pairs = read_snli(path)
        for pair in zip(pairs.premises, pairs.hypotheses):
            # splitlines: a line break inside a sentence would make two of it.
            sentences.update(dict.fromkeys(" ".join(sentence.splitlines()).strip() for sentence in pair))
    sentences.pop("", None)
    chosen = list(sentences)[: arguments.limit or None]
    print("\n".join(chosen))


if __name__ == "__main__":
    main()
