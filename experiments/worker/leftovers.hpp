#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/worker/study_folder.hpp"

namespace gausscse {

/// Removes from a results folder what workers of this host that are gone left unfinished next to trials: temporary
/// files of the study's own files and of records of failures, and folders that were taken from holders of trials that
/// are done.
void remove_what_workers_left(const std::filesystem::path& results, const StudyState& state);

/// Returns a warning for each name among claims and folders of trials that has a generation which no worker gives. Such
/// a name is passed over everywhere.
std::vector<std::string> impossible_names_in(const std::filesystem::path& results);

}  // namespace gausscse
