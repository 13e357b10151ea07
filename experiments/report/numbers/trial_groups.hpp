#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "experiments/study/study_results.hpp"

namespace gausscse {

/// Trials of a stage that differ by their seed only.
struct TrialGroup {
  std::string stage;
  std::vector<std::pair<std::string, std::string>> coordinates;
  std::vector<std::size_t> trials;  ///< numbers of a study's trials
  std::string label;                ///< its labels on the axes on which the stage's groups differ; else the stage
};

/// Returns all groups, in the order of their first trials.
std::vector<TrialGroup> groups_of(const std::vector<StudyTrial>& trials);

/// Returns the label on an axis; empty where the group is not on it.
std::string label_of(const TrialGroup& group, const std::string& axis);

/// Axes on which these groups have at least two different labels.
std::vector<std::string> varying_axes(const std::vector<const TrialGroup*>& groups);

/// Groups that stand in one picture.
struct GroupPanel {
  std::string title;  ///< labels that all of its groups share; empty where one panel has all
  std::vector<std::size_t> groups;
  std::vector<std::string> labels;  ///< label of each group within the panel
};

/// Divides groups of one stage into panels of at most `most` groups: one panel where they fit. Else the panels are one
/// for each combination of labels on all axes but one, the one with the most labels that fit. Groups that would be
/// alone join those that differ from them on another axis alone. If nothing fits, they follow in their order.
std::vector<GroupPanel> panels_of(const std::vector<TrialGroup>& groups, const std::vector<std::size_t>& chosen,
                                  std::size_t most);

}  // namespace gausscse
