#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/interval.hpp"
#include "base/item_clusters.hpp"

namespace gausscse {

/// Metrics of probabilities of entailment: P[i] is that of pair i, and `entailed[i]` is not 0 where it is entailed. In
/// the same way they measure probabilities that a hit is right. Sets are not empty.

/// Returns the mean of -ln of the probability that the pair's label had, which is clipped to [1e-7, 1 - 1e-7].
double negative_log_likelihood(std::span<const double> p, std::span<const std::uint8_t> entailed);

/// Returns the mean of (P - label)^2, labels being 0 and 1.
double brier_score(std::span<const double> p, std::span<const std::uint8_t> entailed);

/// Returns the expected calibration error. The pairs, by rising P, are in 15 bins of equal mass; of n pairs the first n
/// mod 15 bins have one more. The error is the mean over bins, weighted by their pairs, of |mean P - share of entailed
/// pairs|. Pairs of equal P that lie in several bins have the same share in each, so that the order of pairs does not
/// matter.
double expected_calibration_error(std::span<const double> p, std::span<const std::uint8_t> entailed);

/// Expected calibration error, and the part of chance in it: it is over 0 even where every P is right.
struct CalibrationError {
  double plain = 0;     ///< `expected_calibration_error`
  double debiased = 0;  ///< less the bias of |mean P - share| in each bin, 0 at the least
  double null = 0;      ///< mean of the plain error if labels were drawn with these P
  Interval interval;    ///< 95 %: of the true error
};

/// Returns the errors of each calibrator's probabilities of the same pairs.
///
/// The debiased error takes the share of a bin as normal, of variance share (1 - share) / (pairs - 1), around the
/// observed share. It subtracts the mean contribution of that noise to the absolute difference. Kumar, Liang and Ma
/// ("Verified Uncertainty Calibration", 2019, section 5) do so for the squared difference. The null takes the same of
/// sums of labels of variance sum P (1 - P). The interval is the basic bootstrap [2 e - q_97.5, 2 e - q_2.5] of the
/// plain error e over 1,000 draws of `clusters`, from 0 on. Its lower end is 0 where e is below the 97.5 % quantile of
/// the null. Draw b is Philox's stream b of seed 0, so an interval is the same for any number of threads, and with or
/// without other calibrators.
std::vector<CalibrationError> calibration_errors(std::span<const std::vector<double>> p_of_calibrators,
                                                 std::span<const std::uint8_t> entailed, const ItemClusters& clusters,
                                                 int threads);

/// Answers with their confidence; the most confident ones are given first.
struct Answers {
  std::vector<double> confidence;
  std::vector<std::uint8_t> wrong;  ///< not 0 where the answer is wrong
};

/// Returns the answers "entailed" where P >= 0.5, else "not entailed", of the confidence max(P, 1 - P).
Answers either_answers(std::span<const double> p, std::span<const std::uint8_t> entailed);

/// Returns the answers that are "right" for each P, of the confidence P.
Answers found_answers(std::span<const double> p, std::span<const std::uint8_t> right);

/// Returns the area under the curve of risk and coverage: a mean over k = 1 .. n. Its terms are the errors among the k
/// most confident answers and all that are as confident as the last of them.
double area_under_risk_coverage(const Answers& answers);

/// Returns the largest share of answers, the most confident ones, of which at most `risk` are wrong; answers of equal
/// confidence are given together. It looks at the labels: it is no promise.
double coverage_at_risk(const Answers& answers, double risk);

/// Share of answers that are given, and the share of wrong ones among them: NaN where none is given.
struct Answered {
  double share = 0, error = 0;
};

/// Returns it for answers of at least this confidence.
Answered answered_at(double confidence, const Answers& answers);

}  // namespace gausscse
