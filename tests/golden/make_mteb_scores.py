#!/usr/bin/env python3
"""Makes tests/golden/metrics/mteb_scores.json: pairs of vectors, how similar scikit-learn finds them, and the scores that
mteb's own tasks give them, with ties, duplicates and zero vectors. Needs numpy, scipy, scikit-learn, pydantic and
mteb==2.26.24 (--no-deps will do):

    python tests/golden/make_mteb_scores.py
"""

import json
import pathlib
import sys

import numpy
from sklearn.metrics.pairwise import paired_cosine_distances, paired_euclidean_distances, paired_manhattan_distances

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import mteb_without_torch  # noqa: E402

mteb_without_torch.prepare()
from mteb.abstasks.pair_classification import AbsTaskPairClassification  # noqa: E402
from mteb.abstasks.sts import AbsTaskSTS  # noqa: E402

FILE = pathlib.Path(__file__).parent / "metrics" / "mteb_scores.json"


def thresholds_of(name, scores, labels, larger_is_similar):
    """Returns the scores that the task finds but does not write."""
    task = AbsTaskPairClassification
    _, of_accuracy = task._find_best_acc_and_threshold(None, scores, labels, larger_is_similar)
    *_, of_f1 = task._find_best_f1_and_threshold(None, scores, labels, larger_is_similar)
    return {f"{name}_accuracy_threshold": float(of_accuracy), f"{name}_f1_threshold": float(of_f1)}


class PairTask(AbsTaskPairClassification):
    def __init__(self):
        pass


def case(name, first, second, own, gold, labels):
    first, second = numpy.asarray(first, numpy.float64), numpy.asarray(second, numpy.float64)
    labels = numpy.asarray(labels, numpy.int64)
    similarity = {
        "similarity_scores": [float(value) for value in own],
        "cosine_scores": (1 - paired_cosine_distances(first, second)).tolist(),
        "manhattan_distances": paired_manhattan_distances(first, second).tolist(),
        "euclidean_distances": paired_euclidean_distances(first, second).tolist(),
        "dot_scores": (first * second).sum(axis=1).tolist(),
    }
    negated = dict(similarity)
    for distance in ("manhattan_distances", "euclidean_distances"):
        negated[distance] = [-value for value in similarity[distance]]
    classification = PairTask()._compute_metrics(similarity, labels.tolist())
    for short, key, larger in (("similarity", "similarity_scores", True), ("cosine", "cosine_scores", True),
                               ("manhattan", "manhattan_distances", False),
                               ("euclidean", "euclidean_distances", False), ("dot", "dot_scores", True)):
        classification.update(thresholds_of(short, similarity[key], labels, larger))
    return {"name": name, "first": first.tolist(), "second": second.tolist(), "gold": [float(score) for score in gold],
            "labels": labels.tolist(), "similarity": similarity,
            "sts": AbsTaskSTS._calculate_scores(None, negated, [score / 5 for score in gold]),
            "pair_classification": {key: float(value) for key, value in classification.items()}}


def main():
    random = numpy.random.default_rng(20)

    def vectors(count, digits):
        # float32's numbers, which the test reads as such.
        return numpy.round(random.standard_normal((count, 6)), digits).astype(numpy.float32)

    cases = []
    for count, digits, share in ((7, 3, 0.5), (60, 3, 0.3), (60, 0, 0.4)):
        first = vectors(count, digits)
        second = numpy.where(random.random((count, 1)) < share, first + vectors(count, digits) / 2, vectors(count, digits))
        second = second.astype(numpy.float32)
        labels = (((first - second) ** 2).sum(axis=1) + 2 * random.standard_normal(count) < 6).astype(int)
        labels[0] = 1
        own = numpy.round(1 / (1 + ((first - second) ** 2).sum(axis=1)), 2)
        gold = numpy.round(numpy.clip(5 * own + random.standard_normal(count), 0, 5) * 2) / 2
        cases.append(case(f"{count} pairs, {digits} decimals", first, second, own, gold, labels))
    same = numpy.ones((5, 6), numpy.float32)
    same[4] = 0
    cases.append(case("pairs of one score", numpy.ones((5, 6)), same, [0.5, 0.5, 0.5, 0.25, 0.25], [1, 2, 3, 4, 5],
                      [1, 0, 1, 0, 0]))
    FILE.write_text("[\n" + ",\n".join(json.dumps(each) for each in cases) + "\n]\n")


if __name__ == "__main__":
    main()
