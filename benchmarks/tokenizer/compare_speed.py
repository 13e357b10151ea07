r"""Sentences a second on one thread: benchmark_tokenizer beside the `tokenizers` library, on the same text, in turns.

    python benchmarks/tokenizer/compare_speed.py --program build/cpu/benchmarks/tokenizer/benchmark_tokenizer \
        --tokenizer ../shared/data/tokenizers/bert-base-uncased \
        --jsonl ../shared/data/snli_1.0-subset/snli_1.0_train.jsonl

The library gets Python strings, which it takes without decoding, and encodes them in batches of 1000; both cut at 128
tokens. Prints the median of the rounds of each, and their ratio.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

from tokenizers import Tokenizer  # noqa: E402

BATCH = 1000


def library_round(tokenizer, sentences):
    begin = time.perf_counter()
    tokens = 0
    for first in range(0, len(sentences), BATCH):
        tokens += sum(map(len, tokenizer.encode_batch(sentences[first:first + BATCH])))
    return time.perf_counter() - begin, tokens


def program_round(program, folder, path):
    output = subprocess.run([program, str(folder), str(path), "1"], check=True, capture_output=True, text=True).stdout
    seconds, tokens = output.split()
    return float(seconds), int(tokens)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--tokenizer", type=pathlib.Path, required=True, help="a folder with tokenizer.json")
    parser.add_argument("--jsonl", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sentences", type=int, default=50000, help="at most so many")
    arguments = parser.parse_args()

    sentences = []
    for path in arguments.jsonl:
        for line in path.open(encoding="utf-8"):
            pair = json.loads(line)
            sentences += [pair["sentence1"], pair["sentence2"]]
    sentences = [" ".join(s.splitlines()) for s in sentences[:arguments.sentences]]
    tokenizer = Tokenizer.from_file(str(arguments.tokenizer / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(128)
    library, ours = [], []
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as file:
        file.write("".join(s + "\n" for s in sentences))
        file.flush()
        library_round(tokenizer, sentences[:BATCH])
        for _ in range(arguments.rounds):
            library.append(library_round(tokenizer, sentences))
            ours.append(program_round(arguments.program, arguments.tokenizer, file.name))
    if ours[0][1] != library[0][1]:
        raise SystemExit(f"different work: {ours[0][1]} tokens here, {library[0][1]} there")
    rates = [len(sentences) / statistics.median(seconds for seconds, _ in rounds) for rounds in (ours, library)]
    print(f"{arguments.tokenizer.name}: {len(sentences)} sentences, {ours[0][1]} tokens, {arguments.rounds} rounds")
    print(f"gausscse   {rates[0]:12.0f} sentences/s")
    print(f"tokenizers {rates[1]:12.0f} sentences/s")
    print(f"ratio      {rates[0] / rates[1]:12.1f}")


if __name__ == "__main__":
    main()
