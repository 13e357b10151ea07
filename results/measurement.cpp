#include "results/measurement.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/lists.hpp"

namespace gausscse {

namespace {

bool is_averaged(const Metric& metric) {
  return metric.unit == Unit::fraction && metric.name.find('.') == std::string::npos;
}

}  // namespace

const Metric* find_metric(const std::vector<Metric>& metrics, std::string_view name) {
  for (const Metric& metric : metrics)
    if (metric.name == name) return &metric;
  return nullptr;
}

double metric_of(const Measurement& measurement, std::string_view name) {
  if (const Metric* metric = find_metric(measurement.metrics, name)) return metric->value;
  std::vector<std::string> known;
  for (const Metric& metric : measurement.metrics) known.push_back(metric.name);
  throw InputError(concat("the task ", quoted(measurement.task), " has no metric ", quoted(std::string(name)),
                          nearest_name(std::string(name), known), "; it has ", joined(known)));
}

const Measurement* find_measurement(const std::vector<Measurement>& measurements, std::string_view task) {
  for (const Measurement& measurement : measurements)
    if (measurement.task == task) return &measurement;
  return nullptr;
}

bool is_partial(const Measurement& measurement) {
  const Metric* missing = find_metric(measurement.metrics, "missing_subsets");
  return missing && missing->value > 0;
}

std::optional<Average> average_of(const std::vector<Measurement>& measurements) {
  std::vector<const Measurement*> tasks;
  for (const Measurement& measurement : measurements)
    if (measurement.kind == averaged_kind && !measurement.development) tasks.push_back(&measurement);
  if (tasks.size() < 2) return std::nullopt;
  Average average{tasks.size(), {}, ""};
  const bool partial =
      std::any_of(tasks.begin(), tasks.end(), [](const Measurement* task) { return is_partial(*task); });
  for (const Metric& metric : tasks.front()->metrics) {
    double sum = 0;
    const bool in_all = std::all_of(tasks.begin(), tasks.end(), [&](const Measurement* task) {
      const Metric* found = find_metric(task->metrics, metric.name);
      if (found) sum += found->value;
      return found != nullptr;
    });
    if (in_all && is_averaged(metric))
      average.metrics.push_back(
          {metric.name, partial ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(tasks.size()),
           metric.unit});
  }
  if (average.metrics.empty()) return std::nullopt;
  for (const Measurement* task : tasks)
    if (!task->remark.empty())
      average.remark += concat(average.remark.empty() ? "" : "; ", task->task, " is ", task->remark);
  return average;
}

}  // namespace gausscse
