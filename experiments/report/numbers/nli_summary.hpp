#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/corpus/nli_pair.hpp"
#include "experiments/report/numbers/band.hpp"
#include "experiments/report/numbers/histogram.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// Points of a curve of precision over recall, recall rising.
struct PrecisionRecall {
  std::vector<double> recall, precision;
};

/// Returns one point at each distinct score (pairs with it or a higher one are said to be positive), behind the point
/// (recall 0, precision 1); `positive[i]` is not 0 where pair i is one. Pairs whose score is NaN are left out. Empty
/// where there is no positive.
PrecisionRecall precision_recall_of(std::span<const float> scores, std::span<const std::uint8_t> positive);

/// Returns the precision at a recall in [0, 1], on the straight line between the points next to it; of several points
/// with this recall that of the highest score. Only of a curve with points.
double precision_at(const PrecisionRecall& curve, double recall);

/// A pair that a model got wrong, by its number in the task's file.
struct WrongPair {
  std::size_t pair = 0;
  std::uint8_t label = 0;  ///< as in the column `label`
  double similarity = 0;   ///< mean over seeds
};

/// Statistics from the columns of an NLI task, over all seeds.
struct NliSummary {
  std::string task;
  std::size_t pairs = 0;
  /// Precision by recall of entailments among all pairs that are scored, among themselves and neutral pairs, and among
  /// themselves and contradictions; without points where there is none of the others.
  Band among_all, among_neutral, among_contradictions;
  /// By gold label, pairs without one left out. The histograms of log standard deviations are empty where embeddings
  /// are no Gaussians.
  Histograms similarity, log_std_premise, log_std_hypothesis, log_std_difference;
  /// Entailments of the lowest similarity, and other pairs of the highest, the worst first.
  std::vector<WrongPair> missed, mistaken;
};

/// Adds up an NLI task over the seeds of a group.
class NliSummaryOfSeeds {
 public:
  static constexpr std::size_t recall_points = 101;
  static constexpr std::size_t wrong_pairs = 8;  ///< at most, of each kind

  NliSummaryOfSeeds();
  /// Adds one seed's measurement. `with_unlabelled`: whether pairs without a gold label count as no entailments. Throws
  /// InputError where the columns that every such task has are missing or differ in length.
  void add(const Measurement& measurement, bool with_unlabelled);
  /// Returns all seeds' together.
  NliSummary summary() const;

 private:
  static constexpr std::size_t labels = gold_labels;

  void add_precision_recall(std::span<const float> scores, std::span<const std::uint8_t> label, bool with_unlabelled);
  void add_log_std(const Measurement& measurement, std::span<const std::uint8_t> label);
  void add_to_pairs(std::span<const float> scores, std::span<const std::uint8_t> label);

  std::string task_;
  std::int64_t seeds_ = 0;
  BandOfSeeds among_all_, among_neutral_, among_contradictions_;
  std::vector<FixedHistogram> similarity_;
  std::array<GrowingHistogram, labels> log_std_premise_, log_std_hypothesis_, log_std_difference_;
  std::vector<double> similarity_of_pair_;
  std::vector<std::uint8_t> label_;
  bool same_pairs_ = true;  ///< in all seeds
  bool with_unlabelled_ = true;
};

}  // namespace gausscse
