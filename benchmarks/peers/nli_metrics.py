"""Entailment and its direction from Gaussian embeddings of pairs."""

import dataclasses

import numpy as np
import torch
from sklearn.metrics import auc, precision_recall_curve

from gaussian_model import similarity

THRESHOLDS = np.arange(1001) / 1000


@dataclasses.dataclass
class Scores:
    """Values of each pair; log_std is the sum over dimensions."""

    hypothesis_premise: np.ndarray
    premise_hypothesis: np.ndarray
    premise_log_std: np.ndarray
    hypothesis_log_std: np.ndarray


@torch.no_grad()
def embed(model, sentences, batch_size=256):
    """(mean, log_var) of all sentences, float32; each distinct one is computed once, long ones with long ones."""
    distinct = sorted(set(sentences), key=lambda sentence: (len(sentence), sentence))
    parts = []
    model.eval()
    for first in range(0, len(distinct), batch_size):
        parts.append(model(model.tokenize(distinct[first : first + batch_size])))
    row = {sentence: number for number, sentence in enumerate(distinct)}
    index = torch.tensor([row[sentence] for sentence in sentences])
    return tuple(torch.cat([part[which] for part in parts])[index] for which in (0, 1))


def score(model, pairs):
    count = len(pairs.premises)
    mean, log_var = embed(model, pairs.premises + pairs.hypotheses)
    premise, hypothesis = (mean[:count], log_var[:count]), (mean[count:], log_var[count:])
    return Scores(
        similarity(hypothesis, premise).numpy(),
        similarity(premise, hypothesis).numpy(),
        0.5 * premise[1].double().sum(dim=1).numpy(),
        0.5 * hypothesis[1].double().sum(dim=1).numpy(),
    )


def best_threshold(scores, pairs):
    """The first of 0, 0.001, ..., 1 with the best accuracy."""
    hits = [np.sum((scores.hypothesis_premise >= threshold) == pairs.entailed) for threshold in THRESHOLDS]
    return float(THRESHOLDS[int(np.argmax(hits))])


def auprc(scores, pairs):
    precision, recall, _ = precision_recall_curve(pairs.entailed, scores.hypothesis_premise)
    return float(auc(recall, precision))


def metrics(scores, pairs, threshold):
    """Fractions. Ties of the direction tasks are wrong."""
    by_similarity = scores.hypothesis_premise > scores.premise_hypothesis
    by_variance = scores.premise_log_std > scores.hypothesis_log_std
    return {
        "accuracy": float(np.mean((scores.hypothesis_premise >= threshold) == pairs.entailed)),
        "auprc": auprc(scores, pairs),
        "direction_sim": float(np.mean(by_similarity[pairs.entailed])),
        "direction_var": float(np.mean(by_variance[pairs.entailed])),
    }
