#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/report/numbers/band.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// A metric by layer, in the untrained state and in the one that was kept.
struct LayerMetric {
  std::string metric;
  Band before, after;
};

/// Sentence vectors of both states along the principal components of all of them together.
struct SentencePlane {
  std::vector<double> before_x, before_y, after_x, after_y;  ///< a point a sentence
  double first_share = 0, second_share = 0;                  ///< share of the variance
};

/// Metrics of a geometry task on the last layer, or on all, of all seeds that were added.
struct GeometrySummary {
  std::string task;
  std::size_t most_points = Band::all_points;  ///< limit of a curve by layer
  std::vector<LayerMetric> layers = {};
  SentencePlane plane = {};        ///< plane of the first seed that has vectors of both states
  SentencePlane early_plane = {};  ///< the same of the untrained state and that after `early_steps`
  std::int64_t early_steps = 0;    ///< 0: no seed kept an early state

  /// Adds the measurement of the state that was kept, and of the untrained one, null where that is not known. Throws
  /// InputError where columns do not fit.
  void add(const Measurement* before_training, const Measurement& kept);
  /// Adds sentence vectors of the untrained state and of that after `steps`.
  void add_early(const Measurement& before_training, const Measurement& early, std::int64_t steps);
};

/// Returns the summary of a task, or null.
const GeometrySummary* find_geometry(const std::vector<GeometrySummary>& summaries, const std::string& task);

}  // namespace gausscse
