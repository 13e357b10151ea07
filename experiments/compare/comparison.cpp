#include "experiments/compare/comparison.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "experiments/study/correct_items.hpp"
#include "experiments/tables/make_table.hpp"

namespace gausscse {

namespace {

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

bool has_labels(const Measurement& measurement) {
  return find_column<std::vector<std::uint8_t>>(measurement, "label") != nullptr;
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

/// Refuses groups whose results measured a task of one name on other items, or of another kind.
void check_items(const ComparedGroup& a, const ComparedGroup& b, const std::string& task) {
  const ComparedTrial* first = nullptr;
  for (const ComparedGroup* group : {&a, &b})
    for (const ComparedTrial& trial : group->trials) {
      const Measurement* measurement = find_measurement(trial.kept.tasks, task);
      if (!measurement) continue;
      if (!first) first = &trial;
      check_against(*first, *find_measurement(first->kept.tasks, task), trial, *measurement);
    }
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

/// Appends a task "average" with the metrics "KIND.METRIC".
void add_average(std::vector<Measurement>& tasks) {
  const auto average = average_of(tasks);
  if (!average) return;
  Measurement all{"average", "", false, {}, {}, ""};
  for (const Metric& metric : average->metrics)
    all.metrics.push_back({concat(averaged_kind, ".", metric.name), metric.value, metric.unit});
  tasks.push_back(std::move(all));
}

/// Returns a group's trials for a table. A seed that is not known is below 0.
NamedTrials named_trials(const char* label, const ComparedGroup& group) {
  NamedTrials named{label, {}};
  for (const ComparedTrial& trial : group.trials) {
    StudyTrial& made = named.trials.emplace_back();
    made.planned.seed = trial.seed.value_or(-1);
    made.planned.identity = concat(label, named.trials.size());
    made.status = TrialStatus::done;
    made.kept = trial.kept;
    made.run.emplace().steps = trial.untrained;
  }
  return named;
}

/// Returns the metrics of the tasks that both have, as "TASK.METRIC".
std::vector<std::string> metrics_of_both(const NamedTrials& a, const NamedTrials& b) {
  std::vector<std::string> tasks, metrics;
  const auto measures = [](const std::string& task) {
    return [&](const StudyTrial& trial) { return find_measurement(trial.kept.tasks, task) != nullptr; };
  };
  for (const StudyTrial& trial : a.trials)
    for (const Measurement& task : trial.kept.tasks)
      if (std::any_of(b.trials.begin(), b.trials.end(), measures(task.task))) add_once(tasks, task.task);
  for (const std::string& task : tasks)
    for (const NamedTrials* side : {&a, &b})
      for (const StudyTrial& trial : side->trials)
        if (const Measurement* measured = find_measurement(trial.kept.tasks, task))
          for (const Metric& metric : measured->metrics) add_once(metrics, concat(task, ".", metric.name));
  return metrics;
}

}  // namespace

Comparison compare_groups(ComparedGroup a, ComparedGroup b, int threads) {
  std::vector<std::string> notes;
  keep_common_seeds(a, b, notes);
  const std::vector<std::string> of_a = tasks_of(a), of_b = tasks_of(b);
  for (const std::string& task : of_a)
    if (is_among(of_b, task)) check_items(a, b, task);
  const std::size_t of_seeds = notes.size();
  note_tasks_of_one(of_a, of_b, "A", notes);
  note_tasks_of_one(of_b, of_a, "B", notes);
  // An average is compared where it is over the same tasks.
  if (notes.size() == of_seeds)
    for (ComparedGroup* group : {&a, &b})
      for (ComparedTrial& trial : group->trials)
        for (std::vector<Measurement>* tasks : {&trial.kept.tasks, &trial.kept.backbone}) add_average(*tasks);
  NamedTrials named_a = named_trials("A", a), named_b = named_trials("B", b);
  const std::vector<std::string> metrics = metrics_of_both(named_a, named_b);
  if (metrics.empty())
    throw InputError(concat("there is nothing to compare: ", a.name, " has the tasks ", list_of(of_a), "; ", b.name,
                            " has the tasks ", list_of(of_b), ": name tasks alike in both"));
  TrialItems items;
  Comparison comparison{{},
                        {},
                        make_table_of_two(std::move(named_a), std::move(named_b), metrics,
                                          {.holm = false, .paper = false, .threads = threads, .named = true}, items),
                        configuration_differences(a, b),
                        provenance_differences(a, b)};
  if (comparison.has_different_backbones())
    notes.emplace_back("A and B began with different backbones: compare each with its own");
  comparison.table.notes.insert(comparison.table.notes.begin(), notes.begin(), notes.end());
  comparison.a = std::move(a);
  comparison.b = std::move(b);
  return comparison;
}

}  // namespace gausscse
