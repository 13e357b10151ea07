#include "experiments/grid/study_estimate.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"

namespace gausscse {

namespace {

using Coordinates = std::vector<std::pair<std::string, std::string>>;

/// How long these trials take, the longest first (see TrialQueue), each in the slot that is free first.
double time_in_slots(std::vector<double> seconds, std::size_t slots) {
  std::sort(seconds.begin(), seconds.end(), std::greater<>());
  std::vector<double> free_at(slots, 0.0);
  for (const double one : seconds) *std::min_element(free_at.begin(), free_at.end()) += one;
  return *std::max_element(free_at.begin(), free_at.end());
}

std::size_t labels_in_common(const Coordinates& one, const Coordinates& other) {
  std::size_t count = 0;
  for (const auto& coordinate : one) count += std::find(other.begin(), other.end(), coordinate) != other.end();
  return count;
}

TrialCost mean_of(const std::vector<TrialCost>& costs) {
  TrialCost sum;
  for (const TrialCost& cost : costs) {
    sum.seconds += cost.seconds;
    sum.memory_bytes += cost.memory_bytes;
    sum.disk_bytes += cost.disk_bytes;
  }
  const std::size_t count = costs.size();
  return {sum.seconds / static_cast<double>(count), sum.memory_bytes / count, sum.disk_bytes / count};
}

/// What a trial at these coordinates is expected to take, by those of others.
std::optional<TrialCost> guessed_cost(const Coordinates& coordinates, const std::vector<StudyPlanEntry>& plan,
                                      const std::vector<EstimatedTrial>& trials) {
  std::size_t most = 0;
  std::vector<TrialCost> nearest;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!trials[i].cost || trials[i].guessed) continue;
    const std::size_t common = labels_in_common(coordinates, plan[i].planned.coordinates);
    if (common > most) nearest.clear();
    most = std::max(most, common);
    if (common == most) nearest.push_back(*trials[i].cost);
  }
  if (nearest.empty()) return std::nullopt;
  return mean_of(nearest);
}

std::vector<EstimatedTrial> estimate_trials(const std::vector<StudyPlanEntry>& plan,
                                            std::span<const TrialStatus> statuses, const TrialCosts& costs,
                                            const Resources& resources) {
  std::vector<EstimatedTrial> trials(plan.size());
  for (std::size_t i = 0; i < plan.size(); ++i) {
    trials[i].status = statuses[i];
    if (plan[i].trial) trials[i].cost = costs.expected(*plan[i].trial, resources);
  }
  std::map<Coordinates, std::optional<TrialCost>> guesses;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (plan[i].trial) continue;
    const Coordinates& coordinates = plan[i].planned.coordinates;
    if (!guesses.contains(coordinates)) guesses[coordinates] = guessed_cost(coordinates, plan, trials);
    trials[i].cost = guesses[coordinates];
    trials[i].guessed = true;
  }
  return trials;
}

/// `is_first`: not one that the work has counted already, for another stage.
void count(const EstimatedTrial& trial, bool is_first, WorkEstimate& work) {
  ++work.trials;
  if (trial.status == TrialStatus::done) ++work.done;
  if (trial.status == TrialStatus::failed) ++work.failed;
  if (!is_to_run(trial.status)) return;
  ++work.to_run;
  if (!trial.cost) {
    ++work.unknown;
    return;
  }
  if (!is_first) return;
  work.one_by_one_seconds += trial.cost->seconds;
  work.disk_bytes += trial.cost->disk_bytes;
}

/// The most that so many of these trials take at once.
std::uint64_t largest_together(std::vector<std::uint64_t> bytes, std::size_t slots) {
  std::sort(bytes.begin(), bytes.end(), std::greater<>());
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < std::min(slots, bytes.size()); ++i) sum += bytes[i];
  return sum;
}

}  // namespace

bool is_to_run(TrialStatus status) {
  return status != TrialStatus::done && status != TrialStatus::failed;
}

std::vector<TrialStatus> statuses_in(const StudyResults& results, const std::vector<StudyPlanEntry>& plan) {
  std::unordered_map<std::string, TrialStatus> known;
  for (const StudyTrial& trial : results.trials)
    if (!trial.planned.identity.empty()) known.emplace(trial.planned.identity, trial.status);
  std::vector<TrialStatus> statuses;
  for (const StudyPlanEntry& entry : plan) {
    const auto found = known.find(entry.planned.identity);
    if (entry.planned.identity.empty())
      statuses.push_back(TrialStatus::waiting);
    else
      statuses.push_back(found == known.end() ? TrialStatus::planned : found->second);
  }
  return statuses;
}

StudyEstimate estimate_study(const std::vector<StudyPlanEntry>& plan, std::span<const TrialStatus> statuses,
                             const TrialCosts& costs, const Resources& resources, std::size_t slots) {
  GAUSSCSE_CHECK(slots > 0 && statuses.size() == plan.size(), slots, " slots, ", statuses.size(), " statuses");
  StudyEstimate estimate;
  estimate.trials = estimate_trials(plan, statuses, costs, resources);
  std::vector<std::uint64_t> memory_of_whole, memory_of_stage;
  // The whole: first what does not wait, then what waits, a stage at a time.
  std::vector<double> ready, of_stage, waiting;
  std::set<std::string> seen;
  const auto close_stage = [&] {
    if (estimate.stages.empty()) return;
    estimate.stages.back().seconds = time_in_slots(std::exchange(of_stage, {}), slots);
    estimate.stages.back().memory_bytes = largest_together(std::exchange(memory_of_stage, {}), slots);
    estimate.whole.seconds += time_in_slots(std::exchange(waiting, {}), slots);
  };
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (estimate.stages.empty() || estimate.stages.back().stage != plan[i].planned.stage) {
      close_stage();
      estimate.stages.emplace_back().stage = plan[i].planned.stage;
    }
    const EstimatedTrial& trial = estimate.trials[i];
    const std::string& identity = plan[i].planned.identity;
    const bool is_first = identity.empty() || seen.insert(identity).second;
    count(trial, true, estimate.stages.back());
    count(trial, is_first, estimate.whole);
    if (!is_to_run(trial.status) || !trial.cost) continue;
    of_stage.push_back(trial.cost->seconds);
    memory_of_stage.push_back(trial.cost->memory_bytes);
    if (!is_first) continue;
    (plan[i].trial ? ready : waiting).push_back(trial.cost->seconds);
    memory_of_whole.push_back(trial.cost->memory_bytes);
  }
  close_stage();
  estimate.whole.seconds += time_in_slots(std::move(ready), slots);
  estimate.whole.memory_bytes = largest_together(std::move(memory_of_whole), slots);
  return estimate;
}

}  // namespace gausscse
