#include <limits>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "experiments/manifest/metric_name.hpp"
#include "experiments/study/study_results.hpp"

namespace gausscse {

namespace {

/// Returns the measurements that a name is of: those of the backbone, or of the state that was kept.
const std::vector<Measurement>& measured(const StudyTrial& trial, std::string_view name) {
  return without_backbone(name) == name ? trial.kept.tasks : trial.kept.backbone;
}

std::optional<Metric> named_metric(const StudyTrial& trial, std::string_view name) {
  const std::vector<Measurement>& measurements = measured(trial, name);
  name = without_backbone(name);
  const std::size_t dot = name.find('.');
  if (const Measurement* measurement = find_measurement(measurements, name.substr(0, dot)))
    if (const Metric* metric = find_metric(measurement->metrics, name.substr(dot + 1))) return *metric;
  return std::nullopt;
}

}  // namespace

std::optional<Metric> metric_of(const StudyTrial& trial, std::string_view name) {
  const std::vector<std::string> names = metrics_named(name);
  if (trial.status != TrialStatus::done || names.empty()) return std::nullopt;
  Metric mean{std::string(name), 0, Unit::fraction};
  for (const std::string& each : names) {
    std::optional<Metric> metric = named_metric(trial, each);
    if (!metric) return std::nullopt;
    if (names.size() == 1) return metric;
    const Measurement* task = find_measurement(measured(trial, each), task_of_metric(without_backbone(each)));
    if (task && is_partial(*task)) mean.value = std::numeric_limits<double>::quiet_NaN();
    mean.value += metric->value / static_cast<double>(names.size());
    mean.unit = metric->unit;
  }
  return mean;
}

void replace_averages(TableSettings& table, const StudyResults& study) {
  for (TableMetric& column : table.metrics) {
    const std::string name(without_backbone(column.metric));
    if (!is_average(name)) continue;
    const auto [kind, metric] = divided_average(name);
    std::vector<std::string> listed;
    for (const TableMetric& other : table.metrics) {
      const std::string task = task_of_metric(other.metric);
      if (other.metric != concat(task, ".", metric)) continue;
      for (const StudyTrial& trial : study.trials)
        if (const Measurement* of_trial = find_measurement(trial.kept.tasks, task);
            of_trial && of_trial->kind == kind && !of_trial->development)
          add_once(listed, other.metric);
    }
    if (listed.size() < 2) continue;
    if (column.title.empty()) column.title = column.metric;
    const std::string mean = concat("mean(", joined(listed), ")");
    column.metric = name == column.metric ? mean : of_backbone(mean);
  }
}

}  // namespace gausscse
