#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/corpus/nli_pair.hpp"
#include "experiments/report/numbers/band.hpp"
#include "experiments/report/numbers/direction_by_length.hpp"
#include "experiments/report/numbers/histogram.hpp"
#include "experiments/report/numbers/nli_source.hpp"
#include "experiments/report/numbers/probability_summary.hpp"
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
  double similarity = 0;  ///< mean over seeds
};

/// Statistics from the columns of an NLI task, of all seeds that were added.
class NliSummary {
 public:
  static constexpr std::size_t recall_points = 101;
  static constexpr std::size_t wrong_pairs = 8;  ///< at most, of each kind

  std::string task;
  std::optional<NliSource> source;  ///< its texts, where the trial names them
  /// Precision by recall of entailments among all pairs that are scored, among themselves and neutral pairs, and among
  /// themselves and contradictions; without points where there is none of the others.
  Band among_all, among_neutral, among_contradictions;
  DirectionByLength directions;
  ProbabilitySummary probability;

  /// Adds one seed's measurement. `with_unlabelled`: whether pairs without a gold label count as no entailments. Throws
  /// InputError where the columns that every such task has are missing or differ in length.
  void add(const Measurement& measurement, bool with_unlabelled);

  /// Returns the number of pairs, those without a gold label included.
  std::size_t pairs() const { return label_.size(); }
  /// Returns the similarities by gold label; pairs without one are left out.
  Histograms similarity() const;
  /// Returns by gold label what `value` makes of the log standard deviations of a pair's premise and hypothesis; empty
  /// where embeddings are no Gaussians.
  Histograms log_std(double (*value)(double premise, double hypothesis)) const;
  /// Returns the entailments of the lowest similarity, the worst first; none where seeds measured other pairs.
  std::vector<WrongPair> missed() const { return worst_pairs(true); }
  /// Returns the other pairs of the highest similarity, the worst first.
  std::vector<WrongPair> mistaken() const { return worst_pairs(false); }

 private:
  /// Log standard deviations of pairs of one label.
  struct LogStd {
    std::vector<float> premise, hypothesis;
  };

  void add_precision_recall(std::span<const float> scores, std::span<const std::uint8_t> label);
  std::vector<WrongPair> worst_pairs(bool entailments) const;

  std::array<std::vector<double>, gold_labels> similarity_;
  std::array<LogStd, gold_labels> log_std_;
  std::int64_t seeds_ = 0;
  std::vector<double> similarity_of_pair_;  ///< sums over seeds
  std::vector<std::uint8_t> label_;
  bool same_pairs_ = true;  ///< in all seeds
  bool with_unlabelled_ = true;
};

}  // namespace gausscse
