"""Pairs to test on, of SNLI's jsonl layout."""

import dataclasses
import json

import numpy as np


@dataclasses.dataclass
class Pairs:
    premises: list
    hypotheses: list
    entailed: np.ndarray


def read_snli(path):
    """All pairs; one without a gold label counts as not entailed."""
    with open(path, encoding="utf-8-sig") as file:
        pairs = [json.loads(line) for line in file]
    entailed = np.array([pair["gold_label"] == "entailment" for pair in pairs], bool)
    return Pairs([pair["sentence1"] for pair in pairs], [pair["sentence2"] for pair in pairs], entailed)
