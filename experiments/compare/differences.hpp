#pragma once

#include <string>
#include <vector>

#include "experiments/compare/compared_group.hpp"

namespace gausscse {

/// Setting in which two groups differ. Values are those of a group's trials, each once, in the order of trials; none
/// where no trial has the setting.
struct SettingDifference {
  std::string name;
  std::vector<std::string> a, b;
};

/// Returns keys of trials ("training.batch_size") whose values differ, of canonical trials (see `canonical_trial`):
/// where files lie and what changes no metric is left out. Configurations that this version cannot read are compared by
/// all keys as they are.
std::vector<SettingDifference> configuration_differences(const ComparedGroup& a, const ComparedGroup& b);

/// Returns what programs, machines and contents of files differ: "commit", "ranks", "LibTorch", "data.train/1".
std::vector<SettingDifference> provenance_differences(const ComparedGroup& a, const ComparedGroup& b);

}  // namespace gausscse
