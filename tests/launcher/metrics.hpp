#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "results/run_result.hpp"

/// Measurements of a run, by the names of tasks and metrics. Each function throws where there is nothing of the name.
namespace gausscse {

const Measurement& measurement_in(const StateResult& state, std::string_view task);

/// Returns whether two values of a metric are equal; two that do not exist (NaN) are.
bool is_same_value(double a, double b);

double metric_in(const StateResult& state, std::string_view task, std::string_view metric);

/// Returns a column of single precision.
const std::vector<float>& column_in(const StateResult& state, std::string_view task, std::string_view column);

/// Returns the column `label` of an NLI task.
const std::vector<std::uint8_t>& labels_in(const StateResult& state, std::string_view task);

const Curve& curve_in(const std::vector<Curve>& curves, std::string_view task);

/// Returns the values of a metric along the curve of its task.
const std::vector<double>& line_in(const RunResult& result, std::string_view task, std::string_view metric);

/// Returns the tasks of a report that `--json` wrote.
nlohmann::json tasks_of_report(const std::filesystem::path& report);

}  // namespace gausscse
