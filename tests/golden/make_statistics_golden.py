"""Makes tests/golden/statistics/cases.json: intervals and tests by scipy, and bootstraps drawn by their definition, with
Philox as make_batch_plan.py has it, of means and of figures by scipy and scikit-learn. Needs numpy, scipy and scikit-learn:

    python tests/golden/make_statistics_golden.py
"""

import math
import pathlib
import sys

import golden_json
import numpy
from scipy import stats
from sklearn.metrics import auc, precision_recall_curve

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE / "corpus"))
from make_batch_plan import below, draws as words  # noqa: E402

FILE = HERE / "statistics" / "cases.json"
SAMPLES = {
    "two values": [0.7763, 0.7701],
    "five seeds": [0.7763, 0.7771, 0.7758, 0.7802, 0.7749],
    "negative": [-3.0, 1.5, 2.25, -0.125, 8.0, 4.5],
    "large and close": [1e6 + 0.25, 1e6 + 0.5, 1e6 + 1.75],
}


def bootstrap(first, second, draws, confidence, seed):
    differences = numpy.array(first) - numpy.array(second)
    figures = []
    for draw in range(draws):
        source = words(seed, draw)
        figures.append(float(numpy.mean([differences[below(source, len(differences))] for _ in differences])))
    figures = numpy.array(figures)
    tail = (1 - confidence) / 2
    fewer = min((figures <= 0).sum(), (figures >= 0).sum())
    return {"first": first, "second": second, "draws": draws, "confidence": confidence, "seed": seed,
            "low": float(numpy.quantile(figures, tail)), "high": float(numpy.quantile(figures, 1 - tail)),
            "p": float(min(1, 2 * (1 + fewer) / (1 + draws)))}


def area(scores, positive):
    precision, recall, _ = precision_recall_curve(positive, scores)
    return auc(recall, precision)


def area_of_sweep(scores, positive):
    """Points at the thresholds 1, 0.999, ..., 0 alone, and at recall 0, precision 1."""
    recalls, precisions = [0.0], [1.0]
    for k in range(1000, -1, -1):
        said = scores.astype(numpy.float64) >= k / 1000
        if said.any():
            recalls.append(positive[said].sum() / positive.sum())
            precisions.append(positive[said].sum() / said.sum())
    return auc(recalls, precisions)


def correlations(x, y, part):
    """Returns the correlation of all items, the mean over parts, and that weighted by items."""
    parts = [part == number for number in numpy.unique(part)]
    of_parts = [stats.spearmanr(x[these], y[these]).statistic for these in parts]
    return [stats.spearmanr(x, y).statistic, numpy.mean(of_parts), numpy.average(of_parts, weights=[p.sum() for p in parts])]


def drawn_figures(random, seed, draws, items):
    """Figures of the items of each draw; scores are rounded, so that many are equal, and some lie below 0."""
    scores = numpy.round(random.normal(0.5, 0.35, items), 2).astype(numpy.float32)
    positive = (scores + random.normal(0, 0.5, items) > 0.6).astype(int)
    gold = numpy.round(scores.astype(numpy.float64) * 5 + random.normal(0, 2, items))
    part = numpy.sort(random.integers(0, 3, items))
    figures = []
    for draw in range(draws):
        source = words(seed, draw)
        drawn = numpy.array([below(source, items) for _ in range(items)])
        x = scores.astype(numpy.float64)[drawn]
        figures.append([float(value) for value in [area(scores[drawn], positive[drawn]),
                                                   area_of_sweep(scores[drawn], positive[drawn]),
                                                   *correlations(x, gold[drawn], part[drawn])]])
    return {"seed": seed, "scores": [float(s) for s in scores], "positive": positive.tolist(), "gold": gold.tolist(),
            "part": part.tolist(), "figures": figures}


def mcnemar(b, c):
    if b + c == 0:
        return 1.0
    if b + c < 25:
        return float(stats.binomtest(b, b + c, 0.5).pvalue)
    return float(stats.chi2.sf((abs(b - c) - 1) ** 2 / (b + c), 1))


def holm(p):
    """By its definition as a test: the adjusted p is the least level at which the procedure refuses the hypothesis."""
    adjusted = []
    for i, own in enumerate(p):
        not_larger = sorted(range(len(p)), key=lambda k: (p[k], k))
        place = not_larger.index(i)
        adjusted.append(min(1.0, max(p[k] * (len(p) - j) for j, k in enumerate(not_larger[:place + 1]))))
    return adjusted


def main():
    random = numpy.random.default_rng(11)
    cases = {"samples": [], "wilson": [], "mcnemar": [], "holm": [], "welch": [], "bootstrap": []}
    for name, values in SAMPLES.items():
        intervals = []
        for confidence in (0.5, 0.95, 0.999):
            low, high = stats.t.interval(confidence, len(values) - 1, loc=numpy.mean(values), scale=stats.sem(values))
            intervals.append({"confidence": confidence, "low": float(low), "high": float(high)})
        cases["samples"].append({"name": name, "values": values, "mean": math.fsum(values) / len(values),
                                 "deviation": float(numpy.std(values, ddof=1)), "median": float(numpy.median(values)),
                                 "intervals": intervals})
    for successes, trials in ((0, 10), (10, 10), (1, 2), (549, 794), (2862, 3463), (9823, 9824)):
        for confidence in (0.9, 0.95):
            interval = stats.binomtest(successes, trials).proportion_ci(confidence, method="wilson")
            cases["wilson"].append({"successes": successes, "trials": trials, "confidence": confidence,
                                    "low": float(interval.low), "high": float(interval.high)})
    for b, c in ((0, 0), (0, 5), (5, 0), (0, 6), (12, 12), (8, 16), (17, 7), (24, 0), (12, 13), (25, 0), (5, 20), (40, 60),
                 (60, 40), (500, 430), (10000, 9000)):
        cases["mcnemar"].append({"b": b, "c": c, "p": mcnemar(b, c)})
    for p in ([0.01, 0.04, 0.03, 0.005], [0.5, 0.6, 0.9], [0.02], [0.03, 0.03, 0.001, 0.2, 0.03]):
        cases["holm"].append({"p": p, "adjusted": holm(p)})
    for first, second in (("five seeds", "negative"), ("five seeds", "two values"), ("large and close", "two values")):
        result = stats.ttest_ind(SAMPLES[first], SAMPLES[second], equal_var=False)
        cases["welch"].append({"first": SAMPLES[first], "second": SAMPLES[second], "t": float(result.statistic),
                               "degrees": float(result.df), "p": float(result.pvalue)})
    right = [[float(v) for v in random.integers(0, 2, size=30)] for _ in range(2)]
    better = [float(v) for v in numpy.maximum(right[0], random.integers(0, 2, size=30))]
    cases["bootstrap"] = [bootstrap(right[0], right[1], 300, 0.95, 0), bootstrap(better, right[0], 200, 0.9, 7),
                          bootstrap(right[0], better, 200, 0.9, 2**40 + 3), bootstrap(right[0], right[0], 50, 0.95, 1)]
    cases["drawn"] = [drawn_figures(random, 0, 12, 60), drawn_figures(random, 5, 8, 200), drawn_figures(random, 9, 8, 33)]
    FILE.parent.mkdir(exist_ok=True)
    golden_json.write(FILE, cases)


if __name__ == "__main__":
    main()
