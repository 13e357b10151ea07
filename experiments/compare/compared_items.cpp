#include <algorithm>
#include <cmath>
#include <deque>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "config/tasks/task_settings.hpp"
#include "experiments/compare/comparison.hpp"
#include "experiments/study/correct_items.hpp"
#include "experiments/study/difference_test.hpp"
#include "experiments/study/item_figure.hpp"

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
  const Figure* pairs_first = find_figure(in_first.figures, "pairs");
  const Figure* pairs_second = find_figure(in_second.figures, "pairs");
  if (pairs_first && pairs_second && pairs_first->value != pairs_second->value)
    throw InputError(concat(task, " cannot be compared: one has ", pairs_first->value, " pairs, the other ",
                            pairs_second->value, advice));
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

ItemsTest mcnemar(const std::vector<std::uint8_t>& right_a, const std::vector<std::uint8_t>& right_b) {
  ItemsTest test;
  for (std::size_t i = 0; i < right_a.size(); ++i) {
    test.only_a += right_a[i] && !right_b[i];
    test.only_b += right_b[i] && !right_a[i];
  }
  test.p = mcnemar_p(test.only_a, test.only_b);
  return test;
}

/// Returns a metric of both results, item by item. Throws InputError where they are of other items.
std::pair<ItemFigure, ItemFigure> paired_items(const Measurement& a, const Measurement& b, const std::string& figure) {
  if (a.kind == StsTaskSettings::kind || a.kind == GeometryTaskSettings::kind) {
    if (!are_of_same_items(a, b))
      throw InputError(concat("the task ", quoted(a.task), " has other items in one result than in the other"));
  } else {
    check_same_items(a, b, figure);
  }
  return {item_figure(a, figure), item_figure(b, figure)};
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

void test_items(const ComparedGroup& a, const ComparedGroup& b, FigureComparison& figure, int threads,
                std::vector<std::string>& notes) {
  const auto tells = [&](const ComparedTrial& trial) {
    const Measurement* measurement = find_measurement(trial.kept.tasks, figure.task);
    return measurement && has_items(*measurement, figure.figure);
  };
  if (std::none_of(a.trials.begin(), a.trials.end(), tells) || std::none_of(b.trials.begin(), b.trials.end(), tells))
    return;
  ItemsTest sum;
  std::deque<std::pair<ItemFigure, ItemFigure>> pairs;
  MeanOverTrials mean_a, mean_b;
  for (const auto& [in_a, in_b] : trial_pairs(a, b, notes)) {
    if (!tells(*in_a) || !tells(*in_b)) continue;
    try {
      pairs.push_back(paired_items(*find_measurement(in_a->kept.tasks, figure.task),
                                   *find_measurement(in_b->kept.tasks, figure.task), figure.figure));
    } catch (const InputError& error) {
      add_once(notes, concat("no test over items of ", figure.task, ".", figure.figure, ": ", error.what()));
      continue;
    }
    const auto& [items_a, items_b] = pairs.back();
    mean_a.add(items_a);
    mean_b.add(items_b);
    if (items_a.right.empty()) continue;
    ItemsTest test = mcnemar(items_a.right, items_b.right);
    test.seed = in_a->seed;
    sum.only_a += test.only_a;
    sum.only_b += test.only_b;
    figure.items_of_seeds.push_back(test);
  }
  if (pairs.empty()) return;
  const BootstrapResult drawn = bootstrap_over_items(mean_b, mean_a, {.threads = threads});
  if (!std::isnan(drawn.p)) figure.bootstrap = drawn;
  if (figure.items_of_seeds.empty()) return;
  sum.p = mcnemar_p(sum.only_a, sum.only_b);
  figure.items = sum;
  if (a.trials.size() == 1 && b.trials.size() == 1) figure.items_of_seeds.clear();
}

}  // namespace gausscse
