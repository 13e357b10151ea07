#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "dist/control_group.hpp"
#include "results/run_result.hpp"

namespace gausscse {

/// Returns the result in `file`, where there is one, of a run of `configuration` (see `resumable_configuration`): there
/// is nothing left to do. Rank 0 reads it; the other ranks get an empty one. Throws InputError on all ranks for a
/// result of another configuration, with the lines that differ, and for a file that cannot be read.
std::optional<RunResult> finished_result(const std::filesystem::path& file, const std::string& configuration,
                                         ControlGroup& ranks);

}  // namespace gausscse
