#include <algorithm>
#include <cmath>
#include <deque>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "experiments/compare/comparison.hpp"
#include "experiments/study/correct_items.hpp"
#include "experiments/study/difference_test.hpp"
#include "experiments/study/item_metric.hpp"

namespace gausscse {

namespace {

bool has_labels(const Measurement& measurement) {
  return std::any_of(measurement.columns.begin(), measurement.columns.end(),
                     [](const Column& column) { return column.name == "label"; });
}

void check_against(const ComparedTrial& first, const Measurement& in_first, const ComparedTrial& second,
                   const Measurement& in_second) {
  const std::string task =
      concat("the task ", quoted(in_first.task), " of ", first.title, " and that of ", second.title);
  if (in_first.kind != in_second.kind)
    throw InputError(
        concat(task, " cannot be compared: one is of the kind ", in_first.kind, ", the other of ", in_second.kind));
  const char* advice = ": they are not the same items; measure both on one set";
  if (has_labels(in_first) && has_labels(in_second)) {
    if (!are_of_same_pairs(in_first, in_second))
      throw InputError(concat(task, " cannot be compared: their pairs have other labels", advice));
    return;
  }
  for (const char* items : {"pairs", "queries", "documents"}) {
    const Metric *first_count = find_metric(in_first.metrics, items),
                 *second_count = find_metric(in_second.metrics, items);
    if (first_count && second_count && first_count->value != second_count->value)
      throw InputError(concat(task, " cannot be compared: one has ", first_count->value, " ", items, ", the other ",
                              second_count->value, advice));
  }
}

/// Trials of both groups that are tested against each other.
using TrialPair = std::pair<const ComparedTrial*, const ComparedTrial*>;

std::vector<const ComparedTrial*> trials_of_seed(const ComparedGroup& group, std::int64_t seed) {
  std::vector<const ComparedTrial*> found;
  for (const ComparedTrial& trial : group.trials)
    if (trial.seed == seed) found.push_back(&trial);
  return found;
}

/// Returns pairs of trials of equal seeds; none where a seed is there several times in a group, so that it is open
/// which belong together.
std::vector<TrialPair> trial_pairs(const ComparedGroup& a, const ComparedGroup& b, std::vector<std::string>& notes) {
  if (a.trials.size() == 1 && b.trials.size() == 1) return {{&a.trials[0], &b.trials[0]}};
  std::vector<TrialPair> pairs;
  for (const ComparedTrial& trial : a.trials) {
    if (!trial.seed) continue;
    const auto in_a = trials_of_seed(a, *trial.seed), in_b = trials_of_seed(b, *trial.seed);
    if (in_b.empty()) continue;
    if (in_a.size() > 1 || in_b.size() > 1) {
      add_once(notes, concat("no test over items: the seed ", *trial.seed, " is there ", in_a.size(),
                             " times in A and ", in_b.size(), " times in B; name more labels"));
      return {};
    }
    pairs.emplace_back(in_a[0], in_b[0]);
  }
  if (pairs.empty()) add_once(notes, "no test over items: A and B have no seed in common");
  return pairs;
}

}  // namespace

void check_items(const ComparedGroup& a, const ComparedGroup& b, const std::string& task) {
  const ComparedTrial* first = nullptr;
  for (const ComparedGroup* group : {&a, &b}) {
    for (const ComparedTrial& trial : group->trials) {
      const Measurement* measurement = find_measurement(trial.kept.tasks, task);
      if (!measurement) continue;
      if (first)
        check_against(*first, *find_measurement(first->kept.tasks, task), trial, *measurement);
      else
        first = &trial;
    }
  }
}

void test_items(const ComparedGroup& a, const ComparedGroup& b, MetricComparison& metric, int threads,
                std::vector<std::string>& notes) {
  const auto measured_items = [&](const ComparedTrial& trial) -> const Measurement* {
    const Measurement* measurement = find_measurement(trial.kept.tasks, metric.task);
    return measurement && has_items(*measurement, metric.metric) ? measurement : nullptr;
  };
  if (std::none_of(a.trials.begin(), a.trials.end(), measured_items) ||
      std::none_of(b.trials.begin(), b.trials.end(), measured_items))
    return;
  std::deque<std::pair<ItemMetric, ItemMetric>> pairs;
  MeanOverTrials mean_a, mean_b;
  for (const auto& [in_a, in_b] : trial_pairs(a, b, notes)) {
    const Measurement *items_of_a = measured_items(*in_a), *items_of_b = measured_items(*in_b);
    if (!items_of_a || !items_of_b) continue;
    try {
      pairs.push_back(paired_items(*items_of_a, *items_of_b, metric.metric));
    } catch (const InputError& error) {
      add_once(notes, concat("no test over items of ", metric.task, ".", metric.metric, ": ", error.what()));
      continue;
    }
    const auto& [items_a, items_b] = pairs.back();
    mean_a.add(items_a);
    mean_b.add(items_b);
    if (!items_a.right.empty()) metric.items_of_seeds.push_back(mcnemar_test(items_a, items_b, in_a->seed));
  }
  if (pairs.empty()) return;
  const BootstrapResult drawn = bootstrap_over_items(mean_b, mean_a, {.threads = threads});
  if (!std::isnan(drawn.p)) metric.bootstrap = drawn;
  if (!metric.items_of_seeds.empty()) metric.items = sum_of(metric.items_of_seeds);
  if (a.trials.size() == 1 && b.trials.size() == 1) metric.items_of_seeds.clear();
}

}  // namespace gausscse
