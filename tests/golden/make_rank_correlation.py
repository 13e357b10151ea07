"""Makes tests/golden/metrics/rank_correlation.json: values with and without ties, and their rank correlation by scipy.
Needs numpy and scipy:

    python tests/golden/make_rank_correlation.py
"""

import pathlib

import golden_json
import numpy
from scipy.stats import spearmanr

FILE = pathlib.Path(__file__).parent / "metrics" / "rank_correlation.json"


def main():
    random = numpy.random.default_rng(3)
    x = random.normal(size=40)
    cases = {
        "no ties": (x, x + random.normal(size=40)),
        "ties on one side": (x, random.integers(0, 6, size=40) / 2),
        "ties on both sides": (random.integers(0, 5, size=40), random.integers(0, 5, size=40)),
        "nearly all tied": ([1] * 30 + [2], list(range(31))),
        "falling": (x, -x + 0.3 * random.normal(size=40)),
        "two values": ([3, 1], [5, 6]),
    }
    golden_json.write(FILE, [{"name": name, "x": [float(v) for v in a], "y": [float(v) for v in b],
                              "spearman": float(spearmanr(a, b).statistic)} for name, (a, b) in cases.items()])


if __name__ == "__main__":
    main()
