#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/manifest/plan.hpp"
#include "results/run_result.hpp"

namespace gausscse {

/// Throws InputError unless a result is that of the planned trial. The identity is computed again from the
/// configuration and the hashes of contents in the result, and must be the plan's. The message names the first file
/// whose content differs. `folder` is where relative paths of the configuration begin.
void check_identity(const RunResult& result, const StudyPlanEntry& planned, const std::filesystem::path& folder);

/// Returns the file of a trial whose content has changed since the trial was planned, in words; nothing where none has.
/// Files that have not changed by size, inode and times are not read.
std::optional<std::string> changed_input(const StudyPlanEntry& planned);

/// Returns a warning for each set of files that was replaced since trials of the plan were done. Results in the folder
/// then are those of a planned trial in all settings, but not in the content of these files. Results that record no
/// contents are passed over.
std::vector<std::string> results_of_other_contents(const std::filesystem::path& results,
                                                   const std::vector<StudyPlanEntry>& plan);

}  // namespace gausscse
