#include "evaluation/calibration/calibrator_metrics.hpp"

#include <limits>

#include "base/error.hpp"
#include "results/text_table.hpp"

namespace gausscse {

std::vector<Metric> calibrator_metrics(const std::string& calibrator, std::span<const double> p,
                                       std::span<const std::uint8_t> positive, const CalibrationError& ece,
                                       const Answers& answers) {
  std::vector<Metric> metrics;
  const auto add = [&](const std::string& metric, double value, Unit unit = Unit::number) {
    metrics.push_back({concat(calibrator, ".", metric), value, unit});
  };
  add("nll", negative_log_likelihood(p, positive));
  add("brier", brier_score(p, positive));
  add("ece", ece.plain);
  add("ece_debiased", ece.debiased);
  add("ece_low", ece.interval.low);
  add("ece_high", ece.interval.high);
  add("ece_null", ece.null);
  add("aurc", area_under_risk_coverage(answers));
  for (const int percent : risks_in_percent)
    add(concat("coverage_", percent), coverage_at_risk(answers, percent / 100.0), Unit::fraction);
  return metrics;
}

std::vector<Metric> promise_metrics(const Calibration& calibration, Calibrator calibrator, const Answers& answers) {
  std::vector<Metric> metrics;
  for (const int percent : risks_in_percent) {
    const auto least = calibration.confidence_at_risk(percent / 100.0, calibrator);
    const Answered answered = answered_at(least.value_or(std::numeric_limits<double>::infinity()), answers);
    metrics.push_back({concat(name_of(calibrator), ".answered_", percent), answered.share, Unit::fraction});
    metrics.push_back({concat(name_of(calibrator), ".error_", percent), answered.error, Unit::fraction});
  }
  return metrics;
}

double value_or_nan(const Measurement& task, const std::string& name) {
  const Metric* metric = find_metric(task.metrics, name);
  return metric ? metric->value : std::numeric_limits<double>::quiet_NaN();
}

std::vector<std::string> probability_headings() {
  return {"nll",          "brier",         "ece",          "calibrated", "debiased [95 %]", "aurc",
          "coverage_5 %", "coverage_10 %", "answered_5 %", "error_5 %",  "answered_10 %",   "error_10 %"};
}

std::vector<std::string> probability_cells(const Measurement& task, std::string_view calibrator) {
  const auto value = [&](const char* metric) { return value_or_nan(task, concat(calibrator, ".", metric)); };
  const auto number = [&](const char* metric) { return fixed_text(value(metric), 4); };
  const auto percent = [&](const char* metric) { return percent_text(value(metric)); };
  return {number("nll"),
          number("brier"),
          number("ece"),
          number("ece_null"),
          concat(number("ece_debiased"), " [", number("ece_low"), ", ", number("ece_high"), "]"),
          number("aurc"),
          percent("coverage_5"),
          percent("coverage_10"),
          percent("answered_5"),
          percent("error_5"),
          percent("answered_10"),
          percent("error_10")};
}

}  // namespace gausscse
