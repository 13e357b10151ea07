#include "evaluation/nli/nli_detail_tables.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/interval.hpp"
#include "config/tasks/length_strata.hpp"
#include "config/tasks/nli_task_settings.hpp"
#include "evaluation/calibration/calibrator_metrics.hpp"
#include "inference/calibration/calibration.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

using DetailRows = std::vector<std::vector<std::string>>;

void add_probability_rows(const Measurement& task, DetailRows& rows) {
  for (const auto& [calibrator, name] : names<Calibrator>) {
    const std::string prefix = concat(name, ".");
    if (!find_metric(task.metrics, prefix + "nll")) continue;
    DetailRows::value_type& row = rows.emplace_back(
        DetailRows::value_type{task.task, std::string(name), percent_text(value_or_nan(task, prefix + "auprc")),
                               percent_text(value_or_nan(task, prefix + "accuracy"))});
    const std::vector<std::string> cells = probability_cells(task, name);
    row.insert(row.end(), cells.begin(), cells.end());
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
  const double pairs = value_or_nan(task, "directed_pairs" + ending);
  if (!(pairs > 0)) return;
  rows.push_back({task.task, bin, fixed_text(pairs, 0),
                  share_with_interval(value_or_nan(task, "direction_sim" + ending), pairs),
                  share_with_interval(value_or_nan(task, "direction_var" + ending), pairs), percent_text(by_length)});
}

void add_direction_rows(const Measurement& task, DetailRows& rows) {
  for (const LengthStratum& bin : length_bins)
    add_direction_row(task, bin.name, concat(".", bin.name), bin.by_length(), rows);
  add_direction_row(task, "all", "", value_or_nan(task, "direction_length"), rows);
}

/// Returns the table unless it has its heading alone.
std::string table_with_rows(const DetailRows& rows) {
  return rows.size() > 1 ? text_table(rows, measurement_width, 2) : "";
}

}  // namespace

std::string nli_detail_tables(const std::vector<Measurement>& measurements) {
  DetailRows probabilities{{"probability", "calibrator", "auprc %", "accuracy %"}};
  for (const std::string& heading : probability_headings()) probabilities.front().push_back(heading);
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
