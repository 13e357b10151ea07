#include "evaluation/nli/nli_detail_tables.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/interval.hpp"
#include "config/tasks/length_strata.hpp"
#include "config/tasks/nli_task_settings.hpp"
#include "inference/calibration/calibration.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

using DetailRows = std::vector<std::vector<std::string>>;

/// Returns the metric's value; NaN where the task lacks it.
double value_in(const Measurement& task, const std::string& metric) {
  const Figure* figure = find_figure(task.figures, metric);
  return figure ? figure->value : std::numeric_limits<double>::quiet_NaN();
}

void add_probability_rows(const Measurement& task, DetailRows& rows) {
  for (const auto& [calibrator, name] : names<Calibrator>) {
    const std::string prefix = concat(name, ".");
    if (!find_figure(task.figures, prefix + "nll")) continue;
    const auto number = [&](const char* metric) { return fixed_text(value_in(task, prefix + metric), 4); };
    const auto percent = [&](const char* metric) { return percent_text(value_in(task, prefix + metric)); };
    rows.push_back({task.task, std::string(name), percent("auprc"), percent("accuracy"), number("nll"), number("brier"),
                    concat(number("ece"), " [", number("ece_low"), ", ", number("ece_high"), "]"), number("aurc"),
                    percent("coverage_5"), percent("coverage_10"), percent("answered_5"), percent("error_5"),
                    percent("answered_10"), percent("error_10")});
  }
}

/// Returns "86.80 [85.57, 87.95]", in percent; a dash where the share does not exist.
std::string share_with_interval(double share, double pairs) {
  const Interval interval = wilson_interval_of(std::min(share * pairs, pairs), pairs);
  if (interval.low != interval.low) return "-";
  return concat(percent_text(share), " [", percent_text(interval.low), ", ", percent_text(interval.high), "]");
}

/// Adds the row of the metrics with this ending, unless it has no pairs.
void add_direction_row(const Measurement& task, const std::string& bin, const std::string& ending, double by_length,
                       DetailRows& rows) {
  const double pairs = value_in(task, "directed_pairs" + ending);
  if (!(pairs > 0)) return;
  rows.push_back({task.task, bin, fixed_text(pairs, 0),
                  share_with_interval(value_in(task, "direction_sim" + ending), pairs),
                  share_with_interval(value_in(task, "direction_var" + ending), pairs), percent_text(by_length)});
}

void add_direction_rows(const Measurement& task, DetailRows& rows) {
  for (const LengthStratum& bin : length_bins)
    add_direction_row(task, bin.name, concat(".", bin.name), bin.least > 0 ? 1 : 0, rows);
  add_direction_row(task, "all", "", value_in(task, "direction_length"), rows);
}

/// Returns the table unless it has its heading alone.
std::string table_with_rows(const DetailRows& rows) {
  return rows.size() > 1 ? text_table(rows) : "";
}

}  // namespace

std::string nli_detail_tables(const std::vector<Measurement>& measurements) {
  DetailRows probabilities{{"probability", "calibrator", "auprc %", "accuracy %", "nll", "brier", "ece [95 %]", "aurc",
                            "coverage_5 %", "coverage_10 %", "answered_5 %", "error_5 %", "answered_10 %",
                            "error_10 %"}};
  DetailRows directions{{"direction", "length", "directed_pairs", "direction_sim % [95 %]", "direction_var % [95 %]",
                         "direction_length %"}};
  for (const Measurement& task : measurements) {
    if (task.kind != NliTaskSettings::kind) continue;
    add_probability_rows(task, probabilities);
    add_direction_rows(task, directions);
  }
  return table_with_rows(probabilities) + table_with_rows(directions);
}

}  // namespace gausscse
