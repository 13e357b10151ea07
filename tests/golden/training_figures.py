"""Figures of a model on labelled pairs, by their definitions."""

import torch

from make_loss import similarities
from training_cases import parts_of
from training_losses import cosines


def area(scores, positive, auprc):
    """Under the precision-recall curve: of every distinct score, or of thresholds 1, 0.999, ..., 0."""
    thresholds = sorted(set(scores), reverse=True) if auprc == "trapezoid" else [k / 1000 for k in range(1000, -1, -1)]
    points = [(0.0, 1.0)]
    for threshold in thresholds:
        said = [positive[i] for i, score in enumerate(scores) if score >= threshold]
        if said:
            points.append((sum(said) / sum(positive), sum(said) / len(said)))
    return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in zip(points, points[1:]))


def figures_of(scores, back, var, dev, settings):
    positive = [label == "entailment" for label, _, _ in dev]
    directed = [i for i, entailed in enumerate(positive) if entailed]
    accuracies = [sum((s >= k / 1000) == p for s, p in zip(scores, positive)) / len(dev) for k in range(1001)]
    best = accuracies.index(max(accuracies))
    return {"auprc": area(scores, positive, settings["evaluation.auprc"]), "accuracy": accuracies[best],
            "threshold": best / 1000,
            "direction_sim": back and sum(scores[i] > back[i] for i in directed) / len(directed),
            "direction_var": var and sum(var[i] for i in directed) / len(directed)}


@torch.no_grad()
def evaluate(model, dev, settings):
    premise, hypothesis = model.embed([p for _, p, _ in dev]), model.embed([h for _, _, h in dev])
    back = var = None  # a cosine has no direction
    if model.head == "gaussian":
        scores = similarities(hypothesis, premise, settings["objective.similarity"]).diagonal().tolist()
        back = similarities(premise, hypothesis, settings["objective.similarity"]).diagonal().tolist()
        gap = (premise[1].sum(dim=1) - hypothesis[1].sum(dim=1)).tolist()
        var = [g > 0 for g in gap]
        assert min(abs(a - b) / a for a, b in zip(scores, back)) > 1e-5 and min(abs(g) for g in gap) > 1e-4
    else:
        scores = cosines(hypothesis[0], premise[0]).diagonal().tolist()
    figures = figures_of(scores, back, var, dev, settings)
    # What float32 rounds must not decide: choose another seed of the corpora where this fails.
    assert min((b - a) / abs(b) for a, b in zip(sorted(scores), sorted(scores)[1:])) > 1e-5
    for factor in (1 - 2e-6, 1 + 2e-6):
        assert figures_of([factor * s for s in scores], back, var, dev, settings)["threshold"] == (
            figures["threshold"])
    return figures


@torch.no_grad()
def told_labels(model, dev, settings):
    """Numbers of the labels that the classifier predicts."""
    activation = next(part["objective.activation"] for _, part in parts_of(settings) if "objective.activation" in part)
    logits = model.classify(model.embed([p for _, p, _ in dev])[0], model.embed([h for _, _, h in dev])[0], activation)
    highest = logits.sort(dim=1).values
    assert (highest[:, 2] - highest[:, 1]).min() > 1e-4  # what float32 rounds must not decide
    return logits.argmax(dim=1).tolist()
