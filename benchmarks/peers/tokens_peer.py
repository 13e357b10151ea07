#!/usr/bin/env python3
"""Speed of a tokenizer library on one thread; one JSON line. `ids` is the SHA-256 of what `gausscse tokenize` prints.

The first pass meets every word for the first time; the second one finds what the library has cached. Both libraries get
the whole text at once, in the form that they take fastest: `tokenizers` Python strings, gigatoken bytes.
"""

import argparse
import hashlib
import importlib.metadata
import os
import pathlib
import time

import measurement

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

BATCH = 1000


def open_tokenizers(folder):
    """Returns (encode: text in lines to a list of batches, ids of a sentence in a batch)."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    # Releases before 1.0 have a call without offsets, which is faster; later ones never compute them.
    encode_batch = getattr(tokenizer, "encode_batch_fast", None) or tokenizer.encode_batch
    for switch in ("no_padding", "no_truncation"):
        getattr(tokenizer, switch, lambda: None)()

    def encode(lines):
        return [encode_batch(lines[first : first + BATCH]) for first in range(0, len(lines), BATCH)]

    return encode, lambda batches: (encoding.ids for batch in batches for encoding in batch)


def open_gigatoken(folder):
    import gigatoken

    tokenizer = gigatoken.Tokenizer(str(folder))
    # It adds no special tokens of sentences.
    numbers = {word: number for number, word in tokenizer.vocab.items()}
    begin, end = numbers[b"<s>"], numbers[b"</s>"]

    def encode(lines):
        return tokenizer.encode_batch(lines, parallel=False)

    return encode, lambda batch: ([begin, *ids, end] for ids in batch.to_list())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", choices=("tokenizers", "gigatoken"), required=True)
    parser.add_argument("--tokenizer", type=pathlib.Path, required=True, help="a folder with tokenizer.json")
    parser.add_argument("--sentences", type=pathlib.Path, required=True, help="text file, one sentence a line")
    settings = parser.parse_args()
    lines = settings.sentences.read_bytes().splitlines()
    if settings.library == "tokenizers":
        lines = [line.decode() for line in lines]
    encode, ids_of = {"tokenizers": open_tokenizers, "gigatoken": open_gigatoken}[settings.library](settings.tokenizer)
    seconds = []
    for _ in range(2):
        # Processor time, which other programs on the machine hardly change.
        begin = time.process_time()
        encoded = encode(lines)
        seconds.append(time.process_time() - begin)
    checksum, tokens = hashlib.sha256(), 0
    for ids in ids_of(encoded):
        checksum.update((" ".join(map(str, ids)) + "\n").encode())
        tokens += len(ids)
    measurement.print_line({
        "program": f"{settings.library} {importlib.metadata.version(settings.library)}",
        "sentences": len(lines),
        "tokens": tokens,
        "first_pass_per_second": round(len(lines) / seconds[0]),
        "sentences_per_second": round(len(lines) / seconds[1]),
        "ids": checksum.hexdigest(),
    })  # fmt: skip


if __name__ == "__main__":
    main()
