#pragma once

#include <string>
#include <vector>

#include "experiments/compare/compared_group.hpp"

namespace gausscse {

/// What two groups do not have in common. Values are those of a group's trials, each once, in the order of trials; none
/// where no trial has the setting.
struct SettingDifference {
  std::string name;
  std::vector<std::string> a, b;
};

/// Keys of trials ("training.batch_size") whose values differ, of canonical trials (see `canonical_trial`): where files
/// lie and what changes no metric is left out. Of configurations that this version cannot read, of all keys as they
/// are.
std::vector<SettingDifference> configuration_differences(const ComparedGroup& a, const ComparedGroup& b);

/// Returns what programs, machines and contents of files differ: "commit", "ranks", "LibTorch", "data.train/1".
std::vector<SettingDifference> provenance_differences(const ComparedGroup& a, const ComparedGroup& b);

}  // namespace gausscse
