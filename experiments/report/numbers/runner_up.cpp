#include "experiments/report/numbers/runner_up.hpp"

#include <cmath>

#include "experiments/statistics/descriptive.hpp"
#include "experiments/statistics/tests_of_significance.hpp"
#include "experiments/study/difference_test.hpp"

namespace gausscse {

namespace {

std::vector<double> values_of(const std::vector<const StudyTrial*>& trials, const std::string& metric) {
  std::vector<double> values;
  for (const StudyTrial* trial : trials) values.push_back(metric_of(*trial, metric)->value);
  return values;
}

}  // namespace

RunnerUp runner_up(const std::vector<const StudyTrial*>& best, const std::vector<const StudyTrial*>& other,
                   const std::string& label, const std::string& metric, int threads, TrialItems& items) {
  const std::vector<double> of_best = values_of(best, metric), of_other = values_of(other, metric);
  RunnerUp second{label, mean_of(of_best) - mean_of(of_other), std::nullopt};
  if (of_best.size() < 2 || of_other.size() < 2) return second;
  const double seeds_p = welch_test(of_best, of_other).p;
  MeanOverTrials of_items, of_other_items;
  for (const StudyTrial* trial : best)
    for (const StudyTrial* rival : other) {
      if (trial->planned.seed != rival->planned.seed) continue;
      const TrialItems::Items *in_best = items.find(*trial, metric), *in_other = items.find(*rival, metric);
      if (!in_best || !in_other || in_best->measured != in_other->measured) continue;
      of_items.add(in_best->metric);
      of_other_items.add(in_other->metric);
    }
  const double p =
      of_items.trials() == 0
          ? seeds_p
          : DifferenceTest{bootstrap_over_items(of_items, of_other_items, {.threads = threads}), seeds_p}.p();
  if (!std::isnan(p)) second.p = p;
  return second;
}

}  // namespace gausscse
