#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "base/output_paths.hpp"
#include "results/run_result.hpp"

/// Parts of results as JSON, under the names that result files have. NaN and infinities are printed as null.

namespace gausscse {

/// Value of "format" in a JSON report.
inline constexpr const char* report_format = "gausscse-report/2";
/// Value of "format" in the output of `gausscse show --json` for a result, a saved model or a checkpoint.
inline constexpr const char* show_format = "gausscse-show/1";

/// Returns `{"format": "gausscse-report/2", "state": "best", "step": 120, "tasks": {NAME: {FIGURE: value}}, "kinds":
/// {NAME: kind}, "units": {NAME: {FIGURE: "number" or "count"}}, "development": [NAME], "average": {KIND: {FIGURE:
/// value}}, "remarks": {NAME: text}, "backbone": {NAME: {FIGURE: value}}, "check": hash}`, tasks and metrics in their
/// order. Metrics without a unit are fractions, not in percent; a value that does not exist is null. Empty members are
/// left out: the members behind the tasks, and state and step of a model that no training of this program left.
/// Indented, ends with a line break. `read_json_report` reads it.
std::string json_report(const StateResult& state);

/// Returns the content of a result file but the scores of single pairs. It has `format` ("gausscse-show/1"), `kind`
/// ("result"), `configuration` (YAML text), `provenance`, `training` and `curves` (an array a column, see
/// docs/results.md). The array `states` has each as above; `ended_early`, `halved_micro_batch` and `untrained` are
/// there where they are true.
std::string json_report(const RunResult& result);

/// Checks, as `check_output_file`, the file of --json. The path "-" is standard output, an empty one no file.
void check_report_file(const std::filesystem::path& path, std::span<const InputPath> inputs, ExistingFile existing);

/// Checks the file that a training writes its report to. The same command, given once more, resumes a training, so an
/// earlier report is replaced; any other file is refused. The path "-" is standard output.
void check_report_of_run(std::string_view name, const std::filesystem::path& path, std::span<const InputPath> inputs);

/// Reads a state that `json_report` wrote: its metrics with their units, tasks and metrics in their order, without
/// columns. Their average follows from these (`average_of`). Throws InputError, naming the file, where it is missing,
/// no report, of another version, does not say of what kind its tasks are, or has other values than its "check" is of.
/// `is_checked` becomes whether it has one: an earlier version wrote none.
StateResult read_json_report(const std::filesystem::path& file, Links links = Links::followed,
                             bool* is_checked = nullptr);

/// Reads the state in a report's text, which `source` names in messages.
StateResult parse_json_report(std::string_view text, const std::string& source, bool* is_checked = nullptr);

/// Returns an array for each column of a series.
template <typename Series>
nlohmann::ordered_json columns_to_json(const Series& series) {
  nlohmann::ordered_json columns = nlohmann::ordered_json::object();
  for_each_column(series, [&](const char* name, const auto& values) { columns[name] = values; });
  return columns;
}

/// Returns the values under their names.
nlohmann::ordered_json to_json(const std::vector<Metric>& metrics);
/// Returns {TASK: {"step": [...], FIGURE: [...]}}.
nlohmann::ordered_json to_json(const std::vector<Curve>& curves);
/// Returns the state as `json_report` describes it.
nlohmann::ordered_json to_json(const StateResult& state);

}  // namespace gausscse
