#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "evaluation/geometry/self_similarity_change.hpp"
#include "experiments/report/numbers/band.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// A metric by layer, in the untrained state and in the one that was kept.
struct LayerMetric {
  std::string metric;
  Band before, after;
};

/// Rogue dimensions of a state, of all seeds that were added.
struct RogueSummary {
  std::array<double, 3> share_of_top{};  ///< share of the first one, two and three; sums over seeds
  std::array<double, 3> reaching{};      ///< dimensions for 10, 20 and 50 %; sums over seeds
  std::int64_t seeds = 0;
  Band cumulative;  ///< share of the first dimensions, by their number

  /// Adds a measurement that has such metrics; nothing of another.
  void add(const Measurement& measurement);
  /// Returns the mean over seeds of one of the sums; NaN without a seed.
  double mean(double sum) const { return sum / static_cast<double>(seeds); }
};

/// Sentence vectors of both states along the principal components of all of them together.
struct SentencePlane {
  std::vector<double> before_x, before_y, after_x, after_y;  ///< a point a sentence
  double first_share = 0, second_share = 0;                  ///< share of the variance
};

/// Metrics of a geometry task on the last layer, or on all, of all seeds that were added.
struct GeometrySummary {
  /// Number of tokens whose change is shown, as in the paper.
  static constexpr std::size_t frequent = 400;

  std::string task;
  std::size_t most_points = Band::all_points;  ///< limit of a curve by layer
  std::vector<LayerMetric> layers = {};
  RogueSummary before = RogueSummary(), after = RogueSummary();
  std::vector<SelfSimilarityChange> changes = {};  ///< changes of the most frequent tokens in each seed
  SentencePlane plane = {};                        ///< plane of the first seed that has vectors of both states
  SentencePlane early_plane = {};                  ///< the same of the untrained state and that after `early_steps`
  std::int64_t early_steps = 0;                    ///< 0: no seed kept an early state

  /// Adds the measurement of the state that was kept, and of the untrained one, null where that is not known. Throws
  /// InputError where columns do not fit.
  void add(const Measurement* before_training, const Measurement& kept);
  /// Adds sentence vectors of the untrained state and of that after `steps`.
  void add_early(const Measurement& before_training, const Measurement& early, std::int64_t steps);

  /// Returns the changes of the tokens that all seeds have, means over seeds, the most frequent first, and how many
  /// tokens of the first seed a state or another seed lacks.
  SelfSimilarityChange mean_changes() const;
};

/// Returns the summary of a task, or null.
const GeometrySummary* find_geometry(const std::vector<GeometrySummary>& summaries, const std::string& task);

}  // namespace gausscse
