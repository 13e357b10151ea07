#include "experiments/worker/trial_queue.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace gausscse {

void TrialQueue::learn(const StudyPlanEntry& trial, const RunRecord& run) {
  if (trial.trial && learned_.emplace(trial.planned.identity, true).second) costs_.learn(*trial.trial, run);
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
