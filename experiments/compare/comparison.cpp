#include "experiments/compare/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "experiments/statistics/descriptive.hpp"

namespace gausscse {

namespace {

/// The name of a task or average with its metrics, one place a trial; null where a trial has none.
struct ComparedTask {
  std::string name;
  std::vector<const std::vector<Metric>*> in_a, in_b;
  const std::vector<Metric>*backbone_a, *backbone_b;  ///< metrics of a backbone; null where a group has none
};

std::optional<double> value_in(const std::vector<Metric>* metrics, const std::string& name) {
  const Metric* metric = metrics ? find_metric(*metrics, name) : nullptr;
  return metric && !std::isnan(metric->value) ? std::optional(metric->value) : std::nullopt;
}

GroupMetric group_metric(const std::vector<const std::vector<Metric>*>& trials, const std::string& name) {
  GroupMetric group;
  for (const std::vector<Metric>* metrics : trials) {
    const Metric* metric = metrics ? find_metric(*metrics, name) : nullptr;
    if (metric && !std::isnan(metric->value)) group.values.push_back(metric->value);
  }
  group.mean = mean_of(group.values);
  group.deviation = sample_deviation(group.values);
  return group;
}

void add_metrics(const ComparedTask& task, std::vector<MetricComparison>& to) {
  std::vector<Metric> metrics;
  for (const auto* trials : {&task.in_a, &task.in_b})
    for (const std::vector<Metric>* of_trial : *trials)
      for (const Metric& metric : of_trial ? *of_trial : std::vector<Metric>())
        if (!find_metric(metrics, metric.name)) metrics.push_back(metric);
  for (const Metric& metric : metrics) {
    MetricComparison compared;
    compared.task = task.name;
    compared.metric = metric.name;
    compared.unit = metric.unit;
    compared.a = group_metric(task.in_a, metric.name);
    compared.b = group_metric(task.in_b, metric.name);
    compared.backbone_a = value_in(task.backbone_a, metric.name);
    compared.backbone_b = value_in(task.backbone_b, metric.name);
    compared.difference = compared.b.mean - compared.a.mean;
    if (compared.a.values.size() > 1 && compared.b.values.size() > 1)
      compared.welch = welch_test(compared.a.values, compared.b.values);
    to.push_back(std::move(compared));
  }
}

/// Names of tasks, in the order in which the trials first have them.
std::vector<std::string> tasks_of(const ComparedGroup& group) {
  std::vector<std::string> tasks;
  for (const ComparedTrial& trial : group.trials)
    for (const Measurement& task : trial.kept.tasks) add_once(tasks, task.task);
  return tasks;
}

std::string list_of(const std::vector<std::string>& texts) {
  return texts.empty() ? "none" : joined(texts);
}

/// Returns the metrics of each trial of a group in a task; null where it has none.
std::vector<const std::vector<Metric>*> metrics_of(const ComparedGroup& group, const std::string& task) {
  std::vector<const std::vector<Metric>*> metrics;
  for (const ComparedTrial& trial : group.trials) {
    const Measurement* measurement = find_measurement(trial.kept.tasks, task);
    metrics.push_back(measurement ? &measurement->metrics : nullptr);
  }
  return metrics;
}

/// Returns the metrics of the first backbone of a group in a task; null where none has it.
const std::vector<Metric>* backbone_in(const ComparedGroup& group, const std::string& task) {
  for (const ComparedTrial& trial : group.trials)
    if (const Measurement* measurement = find_measurement(trial.kept.backbone, task)) return &measurement->metrics;
  return nullptr;
}

/// Returns the averages of each trial of a group, as tasks of the name "average.KIND".
ComparedGroup averages_of_group(const ComparedGroup& group) {
  ComparedGroup averages;
  for (const ComparedTrial& trial : group.trials) {
    ComparedTrial& of_trial = averages.trials.emplace_back();
    for (const auto& [from, to] :
         {std::pair(&trial.kept.tasks, &of_trial.kept.tasks), std::pair(&trial.kept.backbone, &of_trial.kept.backbone)})
      for (const Average& average : averages_of(*from))
        to->push_back({"average." + average.kind, average.kind, false, average.metrics, {}, ""});
  }
  return averages;
}

/// Adds the metrics of the tasks that both groups have.
void add_common_tasks(const ComparedGroup& a, const ComparedGroup& b, Comparison& comparison) {
  const std::vector<std::string> of_b = tasks_of(b);
  for (const std::string& task : tasks_of(a))
    if (is_among(of_b, task))
      add_metrics({task, metrics_of(a, task), metrics_of(b, task), backbone_in(a, task), backbone_in(b, task)},
                  comparison.metrics);
}

void note_tasks_of_one(const std::vector<std::string>& tasks, const std::vector<std::string>& others, const char* side,
                       std::vector<std::string>& notes) {
  for (const std::string& task : tasks)
    if (!is_among(others, task)) notes.push_back(concat("the task ", quoted(task), " is in ", side, " only"));
}

std::set<std::int64_t> seeds_of(const ComparedGroup& group) {
  std::set<std::int64_t> seeds;
  for (const ComparedTrial& trial : group.trials)
    if (trial.seed) seeds.insert(*trial.seed);
  return seeds;
}

/// Leaves out the trials of seeds that the other group lacks, if the groups have a seed in common: a difference would
/// also be one of seeds.
void keep_seeds_of(const std::set<std::int64_t>& others, const char* side, const char* other_side, ComparedGroup& group,
                   std::vector<std::string>& notes) {
  std::vector<std::string> left_out;
  for (const std::int64_t seed : seeds_of(group))
    if (!others.contains(seed)) left_out.push_back(std::to_string(seed));
  if (left_out.empty()) return;
  notes.push_back(concat(other_side, " lacks the ", left_out.size() == 1 ? "seed " : "seeds ", joined(left_out), " of ",
                         side, ": left out, so that both are of the same seeds"));
  std::erase_if(group.trials, [&](const ComparedTrial& trial) { return trial.seed && !others.contains(*trial.seed); });
}

void keep_common_seeds(ComparedGroup& a, ComparedGroup& b, std::vector<std::string>& notes) {
  const std::set<std::int64_t> of_a = seeds_of(a), of_b = seeds_of(b);
  if (std::none_of(of_a.begin(), of_a.end(), [&](std::int64_t seed) { return of_b.contains(seed); })) return;
  keep_seeds_of(of_b, "A", "B", a, notes);
  keep_seeds_of(of_a, "B", "A", b, notes);
}

}  // namespace

Comparison compare_groups(ComparedGroup a, ComparedGroup b, int threads) {
  Comparison comparison;
  std::vector<std::string> of_seeds;
  keep_common_seeds(a, b, of_seeds);
  const std::vector<std::string> of_a = tasks_of(a), of_b = tasks_of(b);
  for (const std::string& task : of_a)
    if (is_among(of_b, task)) check_items(a, b, task);
  add_common_tasks(a, b, comparison);
  if (comparison.metrics.empty())
    throw InputError(concat("there is nothing to compare: ", a.name, " has the tasks ", list_of(of_a), "; ", b.name,
                            " has the tasks ", list_of(of_b), ": name tasks alike in both"));
  note_tasks_of_one(of_a, of_b, "A", comparison.notes);
  note_tasks_of_one(of_b, of_a, "B", comparison.notes);
  // Averages are compared where they are over the same tasks.
  if (comparison.notes.empty()) add_common_tasks(averages_of_group(a), averages_of_group(b), comparison);
  comparison.notes.insert(comparison.notes.begin(), of_seeds.begin(), of_seeds.end());
  for (MetricComparison& metric : comparison.metrics) test_items(a, b, metric, threads, comparison.notes);
  comparison.configuration = configuration_differences(a, b);
  comparison.provenance = provenance_differences(a, b);
  if (comparison.has_different_backbones())
    comparison.notes.emplace_back("A and B began with different backbones: compare each with its own");
  comparison.a = std::move(a);
  comparison.b = std::move(b);
  return comparison;
}

}  // namespace gausscse
