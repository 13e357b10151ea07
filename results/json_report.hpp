#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/output_paths.hpp"
#include "results/run_result.hpp"

namespace gausscse {

/// Value of "format" in a JSON report.
inline constexpr const char* report_format = "gausscse-report/2";
/// Value of "format" in what `gausscse show --json` writes of a result, a saved model or a checkpoint.
inline constexpr const char* show_format = "gausscse-show/1";

/// Returns `{"format": "gausscse-report/2", "state": "best", "step": 120, "tasks": {NAME: {FIGURE: value}}, "kinds":
/// {NAME: kind}, "units": {NAME: {FIGURE: "number" or "count"}}, "development": [NAME], "average": {KIND: {FIGURE:
/// value}}, "remarks": {NAME: text}}`, tasks and metrics in their order. Metrics without a unit are fractions, not in
/// percent; a value that does not exist is null. Empty members are left out: the members behind the tasks, and state
/// and step of a model that no training of this program left. Indented, ends with a line break. `read_json_report`
/// reads it.
std::string json_report(const StateResult& state);

/// Returns all that a result file holds but the scores of single pairs: `format` ("gausscse-show/1"), `kind`
/// ("result"), `configuration` (YAML text), `provenance`, `training` and `curves` (an array a column, see
/// docs/results.md), and the array `states`, each as above.
std::string json_report(const RunResult& result);

/// Checks, as `check_output_file`, a file that a report is to be written to: what --json wrote, by its "format", may be
/// replaced, any other file may not. The path "-" is standard output.
void check_report_file(std::string_view name, const std::filesystem::path& path, std::span<const InputPath> inputs);

}  // namespace gausscse
