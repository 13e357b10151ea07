#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/trial/trial.hpp"
#include "evaluation/geometry/temperature_bounds.hpp"
#include "experiments/report/numbers/band.hpp"
#include "experiments/report/numbers/geometry_summary.hpp"
#include "experiments/report/numbers/probability_summary.hpp"
#include "results/run_result.hpp"

namespace gausscse {

/// A metric of a task over the steps of the training.
struct MetricBand {
  std::string task, metric;
  Unit unit = Unit::fraction;
  Band band = Band();
};

/// A metric of the state that was kept, mean over the seeds that have it.
struct MetricMean {
  std::string task, kind, metric;
  Unit unit = Unit::fraction;
  double mean = 0;
  std::int64_t seeds = 0;
};

/// Summary of the results of a group's trials, which are added one after another.
struct GroupSummary {
  std::size_t most_points = Band::all_points;  ///< limit of a curve
  bool whole = true;                           ///< false: only the metrics of the state that was kept are looked at
  std::int64_t seeds = 0;                      ///< trials whose results are in it
  Band loss = Band(most_points);
  std::vector<MetricBand> curves = {};                 ///< without metrics of parts and counts
  std::vector<MetricMean> metrics = {};                ///< without metrics of parts and counts
  std::vector<ProbabilitySummary> probabilities = {};  ///< one for each NLI task
  std::vector<GeometrySummary> geometry = {};
  std::optional<LossBounds> bounds = {};  ///< bounds of a loss of cosines

  /// Adds a result; `trial` is its configuration, if it could be read. Returns, in sentences, the parts that cannot be
  /// shown.
  std::vector<std::string> add(const RunResult& result, const std::optional<Trial>& trial);
};

/// Returns whether `GroupSummary::add` looks at a metric, at a state besides the one that was kept, and at a column of
/// a task of this kind. No metrics of parts and no counts are drawn.
bool is_drawn_metric(const std::string& metric, Unit unit);
bool is_drawn_state(std::string_view state);
bool is_drawn_column(std::string_view kind, std::string_view column);

}  // namespace gausscse
