#!/usr/bin/env python3
"""Makes tests/golden/calibration/cases.json: calibrators, metrics of probabilities and thresholds of risk for random pairs,
as scikit-learn, netcal, mapie and scipy give them. Needs numpy, scipy, scikit-learn, netcal 1.4 and mapie 1.6.

    python tests/golden/make_calibration.py

The areas under risk and coverage and the bootstrap have no such library: they are computed here by their definitions.
"""
import json
import pathlib

import numpy as np
from mapie.risk_control.fwer_control import control_fwer
from netcal.metrics import ECE
from scipy.optimize import minimize
from scipy.special import expit, logit
from scipy.stats import beta, binom, foldnorm
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.preprocessing import StandardScaler

FOLDER = pathlib.Path(__file__).parent / "calibration"
BINS, DRAWS, DELTA, L2 = 15, 1000, 0.05, 1e-4
STARTS = 5, 10, 20, 40


def philox_words(blocks, stream):
    """Words of Philox4x32-10 of the key 0 and the counters (block, 0, stream, 0), [blocks, 4]."""
    c = [np.arange(blocks, dtype=np.uint64), np.zeros(blocks, np.uint64), np.full(blocks, stream, np.uint64),
         np.zeros(blocks, np.uint64)]
    mask, key = np.uint64(0xFFFFFFFF), [np.uint64(0), np.uint64(0)]
    for _ in range(10):
        product = [np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]]
        c = [(product[1] >> np.uint64(32)) ^ c[1] ^ key[0], product[1] & mask,
             (product[0] >> np.uint64(32)) ^ c[3] ^ key[1], product[0] & mask]
        key = [(key[0] + np.uint64(0x9E3779B9)) & mask, (key[1] + np.uint64(0xBB67AE85)) & mask]
    return np.stack(c, axis=1)


def sample(n, stream):
    """n numbers below n, as PhiloxStream::below draws them."""
    words = philox_words((n + 3) // 4 + 1, stream).reshape(-1)
    products = words * np.uint64(n)
    kept = (products & np.uint64(0xFFFFFFFF)) >= np.uint64((2**32 - n) % n)
    return (products[kept] >> np.uint64(32))[:n].astype(np.int64)


def calibration_error(p, y):
    """Bins of equal mass; equal p have the share of their pairs."""
    y = y.astype(np.float64)
    for value in np.unique(p):
        y[p == value] = y[p == value].mean()
    order = np.argsort(p, kind="stable")
    return sum(abs(p[b].sum() - y[b].sum()) for b in np.array_split(order, BINS)) / len(p)


def quantiles(p, y):
    order = np.lexsort((y, p))
    p, y, errors = p[order], y[order], []
    for draw in range(DRAWS):
        chosen = sample(len(p), draw)
        errors.append(calibration_error(p[chosen], y[chosen]))
    return np.quantile(errors, [0.025, 0.975])


def mean_absolute(mean, deviation):
    return foldnorm(abs(mean) / deviation, scale=deviation).mean() if deviation > 0 else abs(mean)


def errors_of(p, y):
    """The plain, debiased and null error and the basic bootstrap's interval (docs/calibration.md)."""
    labels, y = y, y.astype(np.float64)
    for value in np.unique(p):
        y[p == value] = y[p == value].mean()
    order, plain, debiased, null, variance = np.argsort(p, kind="stable"), 0, 0, 0, 0
    for b in np.array_split(order, BINS):
        n = len(b)
        if n == 0:
            continue
        share, gap = y[b].mean(), abs(p[b].sum() - y[b].sum())
        plain += gap
        debiased += 2 * gap - mean_absolute(gap, n * np.sqrt(share * (1 - share) / max(n - 1, 1)))
        of_labels = (p[b] * (1 - p[b])).sum()
        null += mean_absolute(0, np.sqrt(of_labels))
        variance += (1 - 2 / np.pi) * of_labels
    plain, debiased, null = plain / len(p), max(debiased / len(p), 0), null / len(p)
    q_low, q_high = quantiles(p, labels)
    low = 0 if plain <= null + 1.96 * np.sqrt(variance) / len(p) else max(2 * plain - q_high, 0)
    return [float(each) for each in (plain, debiased, null, low, max(2 * plain - q_low, 0))]


def risk_coverage(p, y):
    confidence, wrong = np.maximum(p, 1 - p), (p >= 0.5) != y
    return np.array([wrong[confidence >= least].mean() for least in -np.sort(-confidence)])


def metrics_of(p, y):
    errors = risk_coverage(p, y)
    confidence = -np.sort(-np.maximum(p, 1 - p))
    errors_of_bins = errors_of(p, y)
    ece = errors_of_bins[0]
    if len(p) % BINS == 0 and len(np.unique(p)) == len(p):
        # netcal's edges are quantiles, which fall between pairs there.
        np.testing.assert_allclose(ECE(BINS, equal_intervals=False).measure(p, y.astype(int)), ece, rtol=1e-9)
    coverage = [float(max([(confidence >= c).mean() for c, e in zip(confidence, errors) if e <= risk], default=0))
                for risk in (0.05, 0.1)]
    return {"p": p.tolist(), "entailed": y.astype(int).tolist(),
            "nll": float(log_loss(y, np.clip(p, 1e-7, 1 - 1e-7), labels=[False, True])),
            "brier": float(brier_score_loss(y, p)), "ece": ece,
            "calibration_errors": errors_of_bins,
            "aurc": float(errors.mean()), "coverage": coverage}


def exact(score, rows, targets, l2):
    """The minimum by Newton's method of scipy: of mean loss + l2 / 2 |weights|^2; variables are weights, intercept."""
    x = np.column_stack([rows, np.ones(len(rows))])
    penalty = np.append(np.full(rows.shape[1], l2), 0)

    def loss(w):
        z = x @ w
        return np.mean(np.logaddexp(0, z) - targets * z) + (penalty * w * w).sum() / 2

    def gradient(w):
        return x.T @ (expit(x @ w) - targets) / len(x) + penalty * w

    def hessian(w):
        q = expit(x @ w)
        return (x * (q * (1 - q) / len(x))[:, None]).T @ x + np.diag(penalty)

    return minimize(loss, score, jac=gradient, hess=hessian, method="trust-exact", options={"gtol": 1e-13}).x


def shortened(values):
    return [round(float(value), 10) for value in values]


def fits_of(forward, backward, difference, ratio, cosine, y):
    x1, x2 = (logit(np.clip(s, 1e-7, 1 - 1e-7)) for s in (forward, backward))
    n_positive, n_negative = y.sum(), (~y).sum()
    targets = np.where(y, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    sigmoid = _SigmoidCalibration().fit(x1, y)
    platt = exact(np.array([-sigmoid.a_, -sigmoid.b_]), x1[:, None], targets, 0)
    np.testing.assert_allclose(platt, [-sigmoid.a_, -sigmoid.b_], rtol=1e-3, atol=1e-3)
    scaler = StandardScaler()
    columns = scaler.fit_transform(np.column_stack([x1, x2, difference, ratio, cosine]))
    model = LogisticRegression(C=1 / (L2 * len(y)), solver="newton-cholesky", tol=1e-12, max_iter=1000).fit(columns, y)
    weights = exact(np.append(model.coef_[0], model.intercept_), columns, y.astype(float), L2)
    np.testing.assert_allclose(weights, np.append(model.coef_[0], model.intercept_), rtol=1e-4, atol=1e-5)
    isotonic = IsotonicRegression(out_of_bounds="clip").fit(x1, y)
    between = np.linspace(x1.min() - 1, x1.max() + 1, 41)
    return {"forward": forward.tolist(), "backward": backward.tolist(), "log_var_difference": difference.tolist(),
            "log_length_ratio": ratio.tolist(), "cosine": cosine.tolist(), "entailed": y.astype(int).tolist(),
            "platt": platt.tolist(), "platt_p": shortened(expit(x1 * platt[0] + platt[1])),
            "logistic": weights.tolist(), "logistic_p": shortened(expit(columns @ weights[:-1] + weights[-1])),
            "isotonic_p": shortened(isotonic.predict(x1)),
            "between": between.tolist(), "isotonic_between": shortened(isotonic.predict(between))}


def risk_case(confidence, wrong):
    """Cuts by their definition; the last one that passes by mapie's test of a fixed sequence of p-values from each start."""
    n = len(confidence)
    falling = -np.sort(-confidence)
    cuts = []
    for percent in range(5, 101):
        least = falling[-(-n * percent // 100) - 1]
        if not cuts or least < cuts[-1][0]:
            chosen = confidence >= least
            cuts.append([float(least), int(chosen.sum()), int(wrong[chosen].sum())])
    found = {}
    delta = DELTA / len(STARTS)
    for risk in (0.01, 0.05, 0.1, 0.3):
        passed_of_starts = []
        for start in STARTS:
            tested = [cut for cut in cuts if (1 - risk) ** cut[1] <= delta and cut[1] * 100 >= n * start]
            p_values = np.array([binom.cdf(errors, answered, risk) for _, answered, errors in tested])
            passed = control_fwer(p_values, delta, "fixed_sequence") if len(tested) else []
            for (_, answered, errors), p_value in zip(tested, p_values):
                if errors < answered:
                    assert (beta.ppf(1 - delta, errors + 1, answered - errors) <= risk) == (p_value <= delta)
            if len(passed):
                passed_of_starts.append(tested[max(passed)][0])
        found[str(risk)] = min(passed_of_starts, default=None)
    return {"confidence": confidence.tolist(), "wrong": wrong.astype(int).tolist(), "cuts": cuts, "found": found}


def main():
    rng, rng_of_cosines = np.random.default_rng(38), np.random.default_rng(39)

    def pairs(n, share, signal):
        y = rng.random(n) < share
        x1 = signal * (2 * y - 1) + rng.normal(0, 1.5, n) + 0.7
        forward = expit(x1)
        backward = expit(0.6 * x1 + rng.normal(0, 1, n) - 0.4 * y)
        columns = forward, backward, rng.normal(-0.3 * y, 0.5), rng.normal(-0.5, 0.4, n)
        columns = *columns, np.tanh(rng_of_cosines.normal(0.4 + 0.5 * y, 0.5))
        return *(np.round(column, 6) for column in columns), y

    fits = [fits_of(*pairs(n, share, signal)) for n, share, signal in
            [(150, 0.33, 1.0), (90, 0.5, 0.2), (120, 0.1, 2.0), (60, 0.6, 6.0)]]
    tied = pairs(100, 0.4, 1.0)
    tied = tuple(np.round(column, 1) if column.dtype == float else column for column in tied)
    fits.append(fits_of(*tied))
    constant = pairs(60, 0.4, 1.0)
    fits.append(fits_of(constant[0], constant[0], np.zeros(60), constant[3], np.zeros(60), constant[5]))
    metrics = []
    for n, bend, digits in [(150, 1.0, 6), (301, 2.5, 6), (200, 0.5, 1), (7, 1.0, 6), (1, 1.0, 6)]:
        z = rng.normal(-0.5, 2, n)
        p = expit(bend * z)
        p = np.round(p, digits)
        metrics.append(metrics_of(p, rng.random(n) < expit(z)))
    risks = []
    for n, error, digits in [(600, 0.06, 5), (800, 0.01, 2), (300, 0.3, 5), (50, 0.02, 5), (1500, 0.02, 5)]:
        confidence = 0.5 + rng.random(n) / 2
        confidence = np.round(confidence, digits)
        risks.append(risk_case(confidence, rng.random(n) < error * 4 * (1 - confidence)))
    cdf = [[k, n, r, float(binom.cdf(k, n, r))] for k, n, r in
           [(0, 1, 0.05), (3, 90, 0.05), (250, 5000, 0.05), (12, 12, 0.5), (400, 20000, 0.025), (0, 59, 0.05)]]
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "cases.json").write_text(
        json.dumps({"fits": fits, "metrics": metrics, "risks": risks, "binomial_cdf": cdf}, indent=None,
                   separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
