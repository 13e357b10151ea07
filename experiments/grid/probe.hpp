#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "experiments/grid/trial_costs.hpp"
#include "experiments/grid/trial_launch.hpp"
#include "experiments/manifest/plan.hpp"
#include "experiments/study/study_results.hpp"

namespace gausscse {

/// How probes are run.
struct ProbeSettings {
  Resources resources;
  std::vector<TrialSlot> slots;   ///< each run is made in all of them at once, as trials will be
  std::filesystem::path program;  ///< gausscse
  std::string version;            ///< of the program, with its commit
  bool keep_models = true;        ///< else a trial's disk is counted without its model
  /// Where outcomes are kept, and runs made: `user_cache_folder("probes")`; empty: in a temporary folder, nothing kept.
  std::filesystem::path cache_folder;
};

/// Trials of a study of which nothing is known, and what a probe measures for them.
struct UnknownKind {
  Trial trial;
  std::vector<std::int64_t> batch_sizes;  ///< the smallest and the largest
};

/// The kinds of trials that are to be run and of which `costs` do not tell all, in the plan's order.
std::vector<UnknownKind> unknown_kinds(const std::vector<StudyPlanEntry>& plan, std::span<const TrialStatus> statuses,
                                       const TrialCosts& costs, const Resources& resources);

/// What a probe of the kind measured: now, or before by this version of the program on this host, with the same
/// resources and number of slots, and files that have not changed since. Throws InputError, with the end of the log,
/// where a run fails; SystemError and WriteError.
ProbeRecord probe(const UnknownKind& kind, const ProbeSettings& settings);

/// Probes all unknown kinds and lets `costs` learn from them. Returns what could not be probed and why, a text each.
/// `tell` is called before each probe with its number, from 1, and how many there are.
std::vector<std::string> learn_by_probes(const std::vector<StudyPlanEntry>& plan, std::span<const TrialStatus> statuses,
                                         const ProbeSettings& settings, TrialCosts& costs,
                                         const std::function<void(std::size_t number, std::size_t count)>& tell);

}  // namespace gausscse
