#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/output_paths.hpp"
#include "experiments/results/run_result.hpp"

namespace gausscse {

/// What a JSON report's "format" says.
inline constexpr const char* report_format = "gausscse-report/1";

/// `{"format": "gausscse-report/1", "state": "best", "step": 120, "dev": {...}, "test": {"snli": {...}, ...}}` with the
/// metrics of dev, where it was measured, and of every test, tests in their order; figures are fractions, those that do
/// not exist are null. Where there are two tests or more, `"average"` has their average. Indented, ends with a line
/// break.
std::string json_report(const StateResult& state);

/// All that a result file holds but the scores of single pairs: `kind` ("result"), `configuration` (YAML text),
/// `provenance`, `training` and `dev` (an array a column, see docs/results.md), and the array `states`, each as above.
std::string json_report(const RunResult& result);

/// As `check_output_file`, for a file that a report is to be written to: an earlier report may be replaced, any other
/// file may not.
void check_report_file(std::string_view name, const std::filesystem::path& path, std::span<const InputPath> inputs);

}  // namespace gausscse
