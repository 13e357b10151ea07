#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace gausscse {

/// Thresholds of confidence, of which the last one that keeps a promise is used (docs/calibration.md):
///
///     confidence  >= 0.99  >= 0.98  ...  >= 0.51      pairs that the calibrator was not fitted on
///     answered         25       30  ...      500
///     errors            0        1  ...       88
///
/// A threshold passes at risk r if the Clopper-Pearson upper bound of the error among the answered pairs is at most r.
/// The thresholds are tested in this order until the first one fails, from each of `risk_starts` on: the first ones
/// answer few pairs, and chance alone fails them. Each start takes an equal share of `risk_delta`. So the probability
/// that any threshold that passed has a true error over r is at most `risk_delta`. This is fixed-sequence testing with
/// several starts (Angelopoulos et al., "Learn then Test", 2021).
struct RiskCut {
  double confidence = 0;       ///< pairs of at least this confidence are answered
  std::uint64_t answered = 0;  ///< number of these pairs
  std::uint64_t errors = 0;    ///< number of wrong answers among them
  bool operator==(const RiskCut&) const = default;
};

/// Probability that a promise does not hold.
inline constexpr double risk_delta = 0.05;

/// Returns the probability of at most `successes` among `trials` that each succeed with `probability`.
double binomial_cdf(std::uint64_t successes, std::uint64_t trials, double probability);

/// Shares of the pairs that the thresholds answer with which a sequence of tests begins, in percent.
inline constexpr std::uint64_t risk_starts[] = {5, 10, 20, 40};

/// Returns the least number of pairs for which any threshold can pass: that many answers without an error.
std::uint64_t least_answered(double risk);

/// Returns the cuts of pairs with these confidences, of which `wrong` are not 0 where the answer is an error. The first
/// cut answers 5 % of the pairs, the next ones 1 % more each. Pairs of equal confidence are answered together.
std::vector<RiskCut> risk_cuts_of(const std::vector<double>& confidence, const std::vector<std::uint8_t>& wrong);

/// Returns the confidence of the last cut that passes at this risk, of all sequences; nothing where none does. The last
/// of `cuts` answers all pairs. Cuts that answer too few pairs to pass at all are not tested.
std::optional<double> confidence_at(const std::vector<RiskCut>& cuts, double risk);

}  // namespace gausscse
