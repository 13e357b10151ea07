#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "results/run_result.hpp"

namespace gausscse {

/// Reads what `json_report` wrote of a state: its metrics with their units, tasks and metrics in their order, without
/// columns. Averages follow from these (`averages_of`). Throws InputError, naming the file, where it is missing, no
/// report, of another version, or does not say of what kind its tasks are.
StateResult read_json_report(const std::filesystem::path& file, Links links = Links::followed);

/// Returns the same of a report's text, which `source` names in messages.
StateResult parse_json_report(std::string_view text, const std::string& source);

}  // namespace gausscse
