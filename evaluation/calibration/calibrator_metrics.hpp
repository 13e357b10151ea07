#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evaluation/calibration/probability_metrics.hpp"
#include "inference/calibration/calibration.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// Risks, in percent, of the metrics below.
inline constexpr int risks_in_percent[] = {5, 10};

/// Returns the metrics of one calibrator's probabilities under names that begin with `calibrator` and a dot. They are
/// nll, brier, ece, ece_debiased, ece_low, ece_high and ece_null, which are those of `ece`, aurc, and coverage_R for
/// each risk R.
std::vector<Metric> calibrator_metrics(const std::string& calibrator, std::span<const double> p,
                                       std::span<const std::uint8_t> positive, const CalibrationError& ece,
                                       const Answers& answers);

/// Returns answered_R and error_R of the calibrator: the share of answers that the calibration gives at risk R, and the
/// observed error among them, NaN where none is given.
std::vector<Metric> promise_metrics(const Calibration& calibration, Calibrator calibrator, const Answers& answers);

/// Returns the value of a metric; NaN where the task lacks it.
double value_or_nan(const Measurement& task, const std::string& metric);

/// Returns the headings of the columns that `probability_cells` gives.
std::vector<std::string> probability_headings();

/// Returns the metrics of a calibrator, above, as cells of a table; a dash where the task lacks one.
std::vector<std::string> probability_cells(const Measurement& task, std::string_view calibrator);

}  // namespace gausscse
