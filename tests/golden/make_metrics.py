#!/usr/bin/env python3
"""Makes tests/golden/metrics/cases.json: areas under precision-recall curves, thresholds and accuracies of random
scores, with ties, as scikit-learn gives them. Needs numpy and scikit-learn.

    python tests/golden/make_metrics.py
"""
import json
import pathlib

import numpy as np
from sklearn.metrics import accuracy_score, auc, precision_recall_curve, precision_score, recall_score

FOLDER = pathlib.Path(__file__).parent / "metrics"


def area_by_sweep(scores, positive):
    """Points at thresholds 1, 0.999, ..., 0 and at recall 0, precision 1; none where nothing is said to be positive."""
    recalls, precisions = [0.0], [1.0]
    for k in range(1000, -1, -1):
        said = scores.astype(np.float64) >= k / 1000
        if said.any():
            recalls.append(recall_score(positive, said))
            precisions.append(precision_score(positive, said))
    return auc(recalls, precisions) if len(recalls) > 1 else 0.0


def best_threshold(scores, positive):
    best, best_accuracy = None, -1.0
    for k in range(1001):
        accuracy = accuracy_score(positive, scores.astype(np.float64) >= k / 1000)
        if accuracy > best_accuracy:
            best, best_accuracy = k / 1000, accuracy
    return best, best_accuracy


def case(name, scores, positive):
    scores = np.asarray(scores, np.float32)
    positive = np.asarray(positive, np.uint8)
    precision, recall, _ = precision_recall_curve(positive, scores)
    threshold, accuracy = best_threshold(scores, positive)
    return {
        "name": name,
        "scores": [float(score) for score in scores],
        "positive": positive.tolist(),
        "auprc": float(auc(recall, precision)),
        "auprc_sweep": float(area_by_sweep(scores, positive)),
        "threshold": threshold,
        "accuracy": float(accuracy),
        "accuracy_at_0.5": float(accuracy_score(positive, scores.astype(np.float64) >= 0.5)),
    }


def main():
    rng = np.random.default_rng(20)

    def related(n, share):
        positive = rng.random(n) < share
        positive[0] = True
        return np.clip(0.5 + 0.15 * positive + 0.2 * rng.standard_normal(n), 0, 1), positive

    cases = []
    for n in (1, 2, 7, 300):
        cases.append(case(f"distinct scores, {n} pairs", *related(n, 0.3)))
    scores, positive = related(400, 0.4)
    cases.append(case("ties: one decimal", np.round(scores, 1), positive))
    cases.append(case("ties: thresholds themselves", np.round(scores, 3), positive))
    cases.append(case("all scores equal", np.full(50, 0.25), rng.random(50) < 0.5))
    cases.append(case("only two scores", rng.integers(0, 2, 60), rng.random(60) < 0.5))
    cases.append(case("all positive", scores[:40], np.ones(40)))
    cases.append(case("perfect", [0.9, 0.8, 0.2, 0.1], [1, 1, 0, 0]))
    cases.append(case("reversed", [0.1, 0.2, 0.8, 0.9], [1, 1, 0, 0]))
    cases.append(case("all between two thresholds", 0.5 + 0.0009 * rng.random(80), rng.random(80) < 0.5))
    # float32(0.7) < 0.7 and float32(0.3) > 0.3: the comparison is one of doubles.
    cases.append(case("float neighbours of thresholds", [0.7, 0.3, 0.1, 0.9, 0.6], [1, 0, 0, 1, 0]))
    FOLDER.mkdir(exist_ok=True)
    text = ",\n".join(json.dumps(each) for each in cases)
    (FOLDER / "cases.json").write_text(f"[\n{text}\n]\n")


if __name__ == "__main__":
    main()
