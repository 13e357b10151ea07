#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "experiments/processes/trial_launch.hpp"
#include "experiments/worker/trial_costs.hpp"

namespace gausscse {

/// Settings of probes.
struct ProbeSettings {
  Resources resources;
  std::vector<TrialSlot> slots;   ///< a probe runs in each at once, as trials will
  std::filesystem::path program;  ///< gausscse
  bool keep_models = true;        ///< else a trial's disk is counted without its model
  std::filesystem::path folder;   ///< folder where probes run and leave nothing; empty: the system's temporary one
};

/// Times of a short training, in seconds.
struct ProbeTimes {
  double first_step = 0, last_step = 0, end = 0;  ///< from the start to the end of each
  std::vector<double> steps;                      ///< time of each step alone
};

/// Returns the trial that a probe times: five steps, with the tasks that are measured while training measured twice,
/// before the first step and before the last.
Trial probe_trial(const Trial& trial);

/// Returns the time of a trial of `steps` steps, by the times of its probe. The first step, which makes room for the
/// others, is left out of the time of a step.
double seconds_of_trial(const Trial& trial, std::int64_t steps, const ProbeTimes& times);

/// Probes one of `trials` of each kind that `costs` do not know, and lets them learn from it. A probe is two short
/// trainings: the first fills caches and is stopped after a step, when its progress file has the number of steps of the
/// whole; the second is timed. Returns the problems of probes that failed. `note` is called before probes begin, with
/// their number. Throws WriteError.
std::vector<std::string> learn_by_probes(std::span<const Trial* const> trials, const ProbeSettings& settings,
                                         TrialCosts& costs, const std::function<void(std::size_t count)>& note);

}  // namespace gausscse
