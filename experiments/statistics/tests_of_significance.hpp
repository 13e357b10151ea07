#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gausscse {

/// Returns the p of McNemar's test that two classifiers err equally often on the same items, two-sided. `only_first`
/// and `only_second` are the discordant pairs: items that only the one and only the other has right. With n of both
/// together: for n < 25 the exact binomial test, p = min(1, 2 P(X <= min)), X binomial of n with 1/2. Else chi-square
/// of one degree of freedom of (|first - second| - 1)^2 / n. That is the continuity correction of Edwards. See McNemar,
/// "Note on the sampling error of the difference between correlated proportions or percentages", 1947. And Edwards,
/// "Note on the correction for continuity in testing the significance of the difference between correlated
/// proportions", 1948. n = 0: p = 1.
double mcnemar_p(std::int64_t only_first, std::int64_t only_second);

/// Returns the least p that a two-sided sign test of n pairs can have: all signs alike, 2 / 2^n.
double least_sign_test_p(std::int64_t pairs);

/// Applies Holm's correction for several tests (Holm, "A simple sequentially rejective multiple test procedure", 1979).
/// The k-th least p (k from 1) is multiplied by (m - k + 1); none is less than that of a smaller p, or over 1. A NaN is
/// no test: it stays NaN and counts for nothing.
std::vector<double> holm_adjusted(std::span<const double> p);

/// Welch's t-test, two-sided, that two normal populations whose variances may differ have one mean.
struct WelchTest {
  double t = 0;
  double degrees = 0;  ///< degrees of freedom
  double p = 1;
};

/// Returns Welch's test: t = (mean1 - mean2) / sqrt(v1/n1 + v2/n2), v the sample variances; degrees of freedom (v1/n1 +
/// v2/n2)^2 / ((v1/n1)^2/(n1 - 1) + (v2/n2)^2/(n2 - 1)) (Welch, "The generalization of Student's problem when several
/// different population variances are involved", 1947). NaN where a sample has fewer than two values. Where no sample
/// varies, p is 1 for equal means, else 0, and the degrees are NaN.
WelchTest welch_test(std::span<const double> first, std::span<const double> second);

}  // namespace gausscse
