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

/// Metrics of a geometry task on the last layer, or on all, of all seeds that were added.
struct GeometrySummary {
  std::string task;
  std::size_t most_points = Band::all_points;  ///< limit of a curve by layer
  std::vector<LayerMetric> layers = {};

  /// Adds the measurement of the state that was kept, and of the untrained one, null where that is not known.
  void add(const Measurement* before_training, const Measurement& kept);
};

/// Returns the summary of a task, or null.
const GeometrySummary* find_geometry(const std::vector<GeometrySummary>& summaries, const std::string& task);

}  // namespace gausscse
