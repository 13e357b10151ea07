#include <limits>

#include "base/error.hpp"
#include "config/tasks/retrieval_task_settings.hpp"
#include "evaluation/retrieval/hit_calibration.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

using TableRows = std::vector<std::vector<std::string>>;

/// Returns the metric's value; NaN where the task lacks it.
double hit_value_in(const Measurement& task, const std::string& metric) {
  const Figure* figure = find_figure(task.figures, metric);
  return figure ? figure->value : std::numeric_limits<double>::quiet_NaN();
}

void add_calibrator_rows(const Measurement& task, TableRows& rows) {
  for (const auto& [calibrator, name] : names<Calibrator>) {
    const auto value = [&](const char* metric) { return hit_value_in(task, concat(name, ".", metric)); };
    const auto number = [&](const char* metric) { return fixed_text(value(metric), 4); };
    const auto percent = [&](const char* metric) { return percent_text(value(metric)); };
    if (!find_figure(task.figures, concat(name, ".nll"))) continue;
    rows.push_back({task.task, std::string(name), number("nll"), number("brier"),
                    concat(number("ece"), " [", number("ece_low"), ", ", number("ece_high"), "]"), number("aurc"),
                    percent("coverage_5"), percent("coverage_10"), percent("answered_5"), percent("error_5"),
                    percent("answered_10"), percent("error_10")});
  }
}

void add_bin_rows(const Measurement& task, TableRows& rows) {
  for (int bin = 0; bin < reliability_bins; ++bin) {
    const std::string prefix = bin_prefix(bin);
    if (!find_figure(task.figures, prefix + "queries")) continue;
    const int width = 100 / reliability_bins;
    rows.push_back({task.task, concat(bin * width, " to ", (bin + 1) * width),
                    fixed_text(hit_value_in(task, prefix + "queries"), 0),
                    percent_text(hit_value_in(task, prefix + "stated")),
                    percent_text(hit_value_in(task, prefix + "right"))});
  }
}

/// Returns the table unless it has its heading alone.
std::string table_unless_empty(const TableRows& rows) {
  return rows.size() > 1 ? text_table(rows) : "";
}

}  // namespace

std::string hit_tables(const std::vector<Measurement>& measurements) {
  TableRows calibrators{{"best hit", "calibrator", "nll", "brier", "ece [95 %]", "aurc", "coverage_5 %",
                         "coverage_10 %", "answered_5 %", "error_5 %", "answered_10 %", "error_10 %"}};
  TableRows bins{{"best hit", "probability %", "queries", "mean stated %", "right %"}};
  for (const Measurement& task : measurements) {
    if (task.kind != RetrievalTaskSettings::kind) continue;
    add_calibrator_rows(task, calibrators);
    add_bin_rows(task, bins);
  }
  return table_unless_empty(calibrators) + table_unless_empty(bins);
}

}  // namespace gausscse
