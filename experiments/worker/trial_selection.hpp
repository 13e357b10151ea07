#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "experiments/manifest/plan.hpp"

namespace gausscse {

/// Selection of a study's trials for a worker, as the command line gives it.
class TrialSelection {
 public:
  /// Selects all.
  TrialSelection() = default;
  /// Selects by `only`, each "AXIS=LABEL", "seed=N", or the beginning of an identity. One entry of those with the same
  /// axis, and of identities, must fit, and of different axes all. `stage`: empty for all. Throws InputError for an
  /// entry that is none of these.
  TrialSelection(const std::vector<std::string>& only, std::string stage);

  bool has(const PlannedTrial& trial) const;

  /// Throws InputError, with the known names, where the plan has no such stage, axis or label, or no trial that has all
  /// of them. An identity may be that of a trial that still waits.
  void check(const std::vector<StudyPlanEntry>& plan) const;

 private:
  std::string stage_;
  std::map<std::string, std::set<std::string>> labels_;  ///< by axis; of the seed under "seed"
  std::set<std::string> identities_;                     ///< their begins
};

}  // namespace gausscse
