#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/study/study_results.hpp"

namespace gausscse {

/// Trials of a study, as "RESULTS:axis=label,axis=label" names them; "stage" and "seed" may stand among the axes.
struct GroupSelection {
  std::filesystem::path results;
  std::vector<std::pair<std::string, std::string>> labels;  ///< axis and label, each axis once
};

/// Returns nothing where the text is no such thing: no folder stands before a colon. Throws InputError where what
/// follows the colon is no list of axis=label.
std::optional<GroupSelection> parse_group_selection(const std::string& text);

/// Returns the study's trials that have all of the labels, done or not, each once: of the stage that is named, else of
/// the last that has any. Throws InputError where there are none, with the nearest axis or label.
std::vector<const StudyTrial*> select_trials(const StudyResults& study, const GroupSelection& selection);

}  // namespace gausscse
