#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/interval.hpp"
#include "experiments/report/numbers/band.hpp"
#include "experiments/report/numbers/histogram.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// Bin of a reliability diagram. Values of several seeds are means over them, and the interval is as if it were one
/// trial's.
struct ReliabilityBin {
  double pairs = 0;        ///< number of one seed
  double probability = 0;  ///< mean P of the pairs
  double share = 0;        ///< share of entailments among them
  Interval interval;       ///< Wilson's 95 % interval of the share
};

/// Bins of a reliability diagram at most: those of the expected calibration error (docs/probabilities.md).
inline constexpr std::size_t reliability_bins = 15;

/// Returns pairs by rising P in bins of equal mass: of n pairs the first n mod 15 bins have one more, and bins without
/// pairs are left out. Pairs of equal P that lie in several bins have the same share in each. `entailed[i]` is not 0
/// where pair i is entailed.
std::vector<ReliabilityBin> reliability_of(std::span<const double> p, std::span<const std::uint8_t> entailed);

/// Error among the most confident pairs by their share of all pairs, both rising coverage.
struct RiskCoverage {
  std::vector<double> coverage, risk;
};

/// Returns one point at each distinct confidence max(P, 1 - P), from the most confident pairs on: an answer is
/// "entailed" where P >= 0.5, and pairs of equal confidence are answered together.
RiskCoverage risk_coverage_of(std::span<const double> p, std::span<const std::uint8_t> entailed);

/// Statistics of the probabilities of entailment of an NLI task, from its columns, of all seeds that were added. Pairs
/// that the calibration was fitted on are left out.
class ProbabilitySummary {
 public:
  static constexpr std::size_t coverage_points = 100;

  std::string task = {};

  /// Risk at the coverages 0.01, 0.02, ..., 1: that of the smallest answered part that reaches the coverage.
  Band risk;

  /// Adds one seed's measurement; one without the column `probability` adds nothing. `with_unlabelled`: whether pairs
  /// without a gold label count as no entailments. Throws InputError for columns of different lengths.
  void add(const Measurement& measurement, bool with_unlabelled);

  /// Returns the bins, means over seeds.
  std::vector<ReliabilityBin> reliability() const;
  /// Returns histograms of P of entailments and of other pairs, of all seeds.
  Histograms histograms() const;
  bool empty() const { return seeds_.empty(); }

 private:
  std::vector<std::vector<ReliabilityBin>> seeds_;
  std::array<std::vector<double>, 2> p_;  ///< values of entailments and of others
};

}  // namespace gausscse
