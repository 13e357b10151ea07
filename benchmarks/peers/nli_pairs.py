"""Pairs to test on: SNLI's jsonl layout, and SICK's two tab-separated layouts."""

import csv
import dataclasses
import json

import numpy as np


@dataclasses.dataclass
class Pairs:
    premises: list
    hypotheses: list
    entailed: np.ndarray
    entails_both_ways: np.ndarray


def _pairs(rows):
    premises, hypotheses, entailed, both_ways = zip(*rows)
    return Pairs(list(premises), list(hypotheses), np.array(entailed, bool), np.array(both_ways, bool))


def read_snli(path):
    """All pairs; one without a gold label counts as not entailed."""
    with open(path, encoding="utf-8-sig") as file:
        pairs = [json.loads(line) for line in file]
    return _pairs((p["sentence1"], p["sentence2"], p["gold_label"] == "entailment", False) for p in pairs)


def read_sick(path):
    """All pairs of SemEval's layout, or the test part of the full release, which alone tells both directions."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    if "SemEval_set" in rows[0]:
        rows = [row for row in rows if row["SemEval_set"] == "TEST"]
        return _pairs(
            (row["sentence_A"], row["sentence_B"], row["entailment_label"] == "ENTAILMENT",
             row["entailment_AB"] == "A_entails_B" and row["entailment_BA"] == "B_entails_A")
            for row in rows
        )  # fmt: skip
    return _pairs(
        (row["sentence_A"], row["sentence_B"], row["entailment_judgment"] == "ENTAILMENT", False) for row in rows
    )
