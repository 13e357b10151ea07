#include "experiments/worker/trial_costs.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "config/trial/trial_keys.hpp"
#include "experiments/statistics/descriptive.hpp"

namespace gausscse {

namespace {

/// Replaces the loss by one of equal cost: the cost depends on the number of sentences an example alone.
void leave_out_loss(ObjectiveSettings& objective) {
  objective.loss = roles_of(objective) == 3 ? Loss::ent_con : Loss::ent;
}

}  // namespace

Trial cost_kind(const Trial& trial) {
  Trial kind = without_effects(trial_keys(), trial, changes_speed);
  leave_out_loss(kind.objective);
  std::vector<ObjectiveTerm>& terms = kind.objective.terms;
  std::erase_if(terms, [](const ObjectiveTerm& term) { return term.weight == 0; });
  for (ObjectiveTerm& term : terms) {
    term = without_effects(objective_term_keys(), term, changes_speed);
    term.name.clear();
    leave_out_loss(term.objective);
  }
  if (!kind.select.task.empty()) kind.select.task = "selected";
  return kind;
}

void TrialCosts::learn(const Trial& trial, const RunRecord& run) {
  if (run.ranks != ranks_ || run.threads != threads_ || !(run.seconds > 0)) return;
  Trial kind = cost_kind(trial);
  auto* known = find_by(kinds_, &KindCosts::first, kind);
  if (!known) known = &kinds_.emplace_back(std::move(kind), std::vector<TrialCost>());
  known->second.push_back({run.seconds, static_cast<double>(run.disk_bytes), run.gpu_memory_share});
}

std::optional<TrialCost> TrialCosts::expected(const Trial& trial) const {
  const auto* known = find_by(kinds_, &KindCosts::first, cost_kind(trial));
  if (!known) return std::nullopt;
  const auto middle = [&](double TrialCost::*part) { return median_of(members_of(known->second, part)); };
  const std::vector<double> shares = members_of(known->second, &TrialCost::gpu_memory_share);
  return TrialCost{middle(&TrialCost::seconds), middle(&TrialCost::disk_bytes),
                   *std::max_element(shares.begin(), shares.end())};
}

void TrialQueue::learn(const StudyPlanEntry& trial, const RunRecord& run) {
  if (trial.trial && learned_.insert(trial.planned.identity).second) costs_.learn(*trial.trial, run);
}

const std::vector<std::size_t>& TrialQueue::order(const std::vector<StudyPlanEntry>& trials) {
  if (order_.size() == trials.size() && 10 * learned_.size() < 11 * learned_at_order_ + 10) return order_;
  learned_at_order_ = learned_.size();
  seconds_.clear();
  for (const StudyPlanEntry& entry : trials) {
    const auto cost = entry.trial ? costs_.expected(*entry.trial) : std::nullopt;
    seconds_.push_back(cost ? cost->seconds : std::numeric_limits<double>::infinity());
  }
  order_.resize(trials.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::size_t a, std::size_t b) { return seconds_[a] > seconds_[b]; });
  return order_;
}

}  // namespace gausscse
