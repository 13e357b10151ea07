"""Training triples: the CSV file of SimCSE's layout, and its batches.

As a program, it writes such a file from NLI corpora in SNLI's jsonl layout: for each premise its first entailed and its first
contradicted hypothesis.

    triples.py OUT.csv snli_1.0_train.jsonl multinli_1.0_train.jsonl
"""

import csv
import json
import sys

import torch

HEADER = ["sent0", "sent1", "hard_neg"]


def read_triples(path):
    """[(premise, entailed hypothesis, contradicted hypothesis), ...]"""
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file, strict=True)
        header = next(rows, None)
        if header != HEADER:
            raise SystemExit(f"{path}: the header is {header}, not {HEADER}")
        triples = []
        for row in rows:
            if len(row) != len(HEADER):
                raise SystemExit(f"{path}:{rows.line_num}: {len(row)} columns, not {len(HEADER)}")
            triples.append(tuple(row))
    return triples


def shuffled_batches(triples, batch_size, seed, epoch=0):
    """Full batches of an epoch in an order drawn by (seed, epoch): tuples of three lists of sentences. The last,
    incomplete batch is dropped."""
    if batch_size > len(triples):
        raise SystemExit(f"batch size {batch_size}, but only {len(triples)} triples")
    order = torch.randperm(len(triples), generator=torch.Generator().manual_seed(1000003 * seed + epoch)).tolist()
    for first in range(0, len(order) - batch_size + 1, batch_size):
        chosen = [triples[index] for index in order[first : first + batch_size]]
        yield tuple([triple[role] for triple in chosen] for role in range(3))


def batches_without_end(triples, batch_size, seed):
    epoch = 0
    while True:
        yield from shuffled_batches(triples, batch_size, seed, epoch)
        epoch += 1


def write_triples(out, corpora):
    hypotheses = {}
    for path in corpora:
        with open(path, encoding="utf-8-sig") as file:
            for pair in map(json.loads, file):
                of_premise = hypotheses.setdefault(pair["sentence1"], {})
                of_premise.setdefault(pair["gold_label"], pair["sentence2"])
    with open(out, "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(HEADER)
        for premise, of_premise in hypotheses.items():
            if {"entailment", "contradiction"} <= of_premise.keys():
                rows.writerow([premise, of_premise["entailment"], of_premise["contradiction"]])


if __name__ == "__main__":
    write_triples(sys.argv[1], sys.argv[2:])
