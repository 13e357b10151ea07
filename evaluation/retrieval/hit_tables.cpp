#include "base/error.hpp"
#include "config/tasks/retrieval_task_settings.hpp"
#include "evaluation/calibration/calibrator_metrics.hpp"
#include "evaluation/retrieval/hit_calibration.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

using TableRows = std::vector<std::vector<std::string>>;

void add_calibrator_rows(const Measurement& task, TableRows& rows) {
  for (const auto& [calibrator, name] : names<Calibrator>) {
    if (!find_metric(task.metrics, concat(name, ".nll"))) continue;
    TableRows::value_type& row = rows.emplace_back(TableRows::value_type{task.task, std::string(name)});
    const std::vector<std::string> cells = probability_cells(task, name);
    row.insert(row.end(), cells.begin(), cells.end());
  }
}

void add_bin_rows(const Measurement& task, TableRows& rows) {
  for (int bin = 0; bin < reliability_bins; ++bin) {
    const std::string prefix = bin_prefix(bin);
    if (!find_metric(task.metrics, prefix + "queries")) continue;
    const int width = 100 / reliability_bins;
    rows.push_back({task.task, concat(bin * width, " to ", (bin + 1) * width),
                    fixed_text(value_or_nan(task, prefix + "queries"), 0),
                    percent_text(value_or_nan(task, prefix + "stated")),
                    percent_text(value_or_nan(task, prefix + "right"))});
  }
}

/// Returns the table unless it has its heading alone.
std::string table_unless_empty(const TableRows& rows) {
  return rows.size() > 1 ? text_table(rows, measurement_width, 2) : "";
}

}  // namespace

std::string hit_tables(const std::vector<Measurement>& measurements) {
  TableRows calibrators{{"best hit", "calibrator"}};
  for (const std::string& heading : probability_headings()) calibrators.front().push_back(heading);
  TableRows bins{{"best hit", "probability %", "queries", "mean stated %", "right %"}};
  for (const Measurement& task : measurements) {
    if (task.kind != RetrievalTaskSettings::kind) continue;
    add_calibrator_rows(task, calibrators);
    add_bin_rows(task, bins);
  }
  return table_unless_empty(calibrators) + table_unless_empty(bins);
}

}  // namespace gausscse
