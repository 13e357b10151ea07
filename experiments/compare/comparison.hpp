#pragma once

#include <string>
#include <vector>

#include "experiments/compare/compared_group.hpp"
#include "experiments/tables/study_table.hpp"

namespace gausscse {

/// Setting in which two groups differ. Values are those of a group's trials, each once, in the order of trials; none
/// where no trial has the setting.
struct SettingDifference {
  std::string name;
  std::vector<std::string> a, b;
};

/// Returns keys of trials ("training.batch_size") whose values differ, of canonical trials (see `canonical_trial`):
/// places of files and keys that change no metric are left out. Configurations that this version cannot read are
/// compared by all keys as they are.
std::vector<SettingDifference> configuration_differences(const ComparedGroup& a, const ComparedGroup& b);

/// Returns the differences in programs, machines and contents of files: "commit", "ranks", "LibTorch", "data.train/1".
std::vector<SettingDifference> provenance_differences(const ComparedGroup& a, const ComparedGroup& b);

struct Comparison {
  ComparedGroup a, b;
  /// Rows "A" and "B", then backbones; a column for each metric of the tasks that both have, in the order of a, and of
  /// averages ("average.KIND.METRIC"). See `make_table_of_two`.
  StudyTable table;
  std::vector<SettingDifference> configuration, provenance;

  /// Returns whether their results began with different encoders: another file, or another key of the backbone.
  bool has_different_backbones() const;
};

/// Compares groups. If they have a seed in common, trials of seeds that only one has are left out, with a note. Throws
/// InputError where they have no task in common, or a task that was measured on other items or is of another
/// kind. Bootstraps take `threads`; the comparison is the same for any number.
Comparison compare_groups(ComparedGroup a, ComparedGroup b, int threads = 1);

}  // namespace gausscse
