#include "experiments/tables/pairing.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "experiments/statistics/descriptive.hpp"

namespace gausscse {

namespace {

using Trials = std::vector<const StudyTrial*>;

bool have_same_labels(const PlannedTrial& a, const PlannedTrial& b, const std::string& but_on) {
  const auto agrees = [&](const PlannedTrial& one, const PlannedTrial& other) {
    return std::all_of(one.coordinates.begin(), one.coordinates.end(), [&](const auto& coordinate) {
      const std::string* label = label_on(other, coordinate.first);
      return coordinate.first == but_on || (label && *label == coordinate.second);
    });
  };
  return agrees(a, b) && agrees(b, a);
}

Trials done_of_seed(const Trials& trials, std::int64_t seed) {
  Trials found;
  for (const StudyTrial* trial : trials)
    if (trial->status == TrialStatus::done && trial->planned.seed == seed) found.push_back(trial);
  return found;
}

}  // namespace

Pairing pair_by_labels(const Trials& first, const Trials& second, const std::string& compare) {
  Pairing pairing;
  for (const StudyTrial* trial : first) {
    if (trial->status != TrialStatus::done) continue;
    const std::int64_t seed = trial->planned.seed;
    const Trials own = done_of_seed(first, seed), others = done_of_seed(second, seed);
    const bool one_each = own.size() == 1 && others.size() == 1;
    for (const StudyTrial* other : others)
      if (one_each || have_same_labels(trial->planned, other->planned, compare))
        pairing.pairs.push_back({trial, other, seed});
  }
  return pairing;
}

Pairing pair_by_seed(const Trials& first, const Trials& second) {
  if (first.size() == 1 && second.size() == 1) {
    const std::int64_t seed = first[0]->planned.seed;
    const bool is_common = seed >= 0 && seed == second[0]->planned.seed;
    return {{{first[0], second[0], is_common ? std::optional(seed) : std::nullopt}}, ""};
  }
  Pairing pairing;
  for (const StudyTrial* trial : first) {
    const std::int64_t seed = trial->planned.seed;
    const Trials own = done_of_seed(first, seed), others = done_of_seed(second, seed);
    if (seed < 0 || others.empty()) continue;
    if (own.size() > 1 || others.size() > 1)
      return {{}, concat("the seed ", seed, " is there several times; name more labels")};
    pairing.pairs.push_back({trial, others[0], seed});
  }
  if (pairing.pairs.empty()) pairing.obstacle = "there is no seed in common";
  return pairing;
}

PairedMetric::PairedMetric(const Pairing& pairing, const std::string& name, TrialItems& items) {
  const Measurement* measured = nullptr;
  bool on_same_items = true;
  for (const auto& [a, b, seed] : pairing.pairs) {
    const TrialItems::Items *in_a = items.find(*a, name), *in_b = items.find(*b, name);
    const auto of_a = metric_of(*a, name), of_b = metric_of(*b, name);
    if (!in_a || !in_b || !of_a || !of_b) continue;
    if (in_a->measured != in_b->measured) {
      other_items.push_back(items_obstacle(*in_a->measured, *in_b->measured, metric_in(name)));
      continue;
    }
    ++tested;
    on_same_items = on_same_items && (!measured || measured == in_a->measured);
    measured = in_a->measured;
    if (!in_a->metric.right.empty()) seeds.push_back(mcnemar_test(in_a->metric, in_b->metric, seed));
    if (!on_same_items) continue;
    first.add(in_a->metric);
    second.add(in_b->metric);
    auto& [values_of_first, values_of_second] = of_seeds[a->planned.seed];
    values_of_first.push_back(of_a->value);
    values_of_second.push_back(of_b->value);
  }
  if (!on_same_items) first = second = MeanOverTrials();
}

ValuesOfSides PairedMetric::seed_means() const {
  ValuesOfSides means;
  for (const auto& [seed, values] : of_seeds) {
    means.first.push_back(mean_of(values.first));
    means.second.push_back(mean_of(values.second));
  }
  return means;
}

}  // namespace gausscse
