#pragma once

#include <nlohmann/json.hpp>

#include "results/result_layout.hpp"
#include "results/run_result.hpp"

/// Parts of results as JSON, under the names that result files have. NaN and infinities are printed as null.
namespace gausscse {

/// Returns an array for each column of a series.
template <typename Series>
nlohmann::ordered_json columns_to_json(const Series& series) {
  nlohmann::ordered_json columns = nlohmann::ordered_json::object();
  for_each_column(series, [&](const char* name, const auto& values) { columns[name] = values; });
  return columns;
}

/// Returns the values under their names.
nlohmann::ordered_json to_json(const std::vector<Figure>& figures);
/// Returns {TASK: {"step": [...], FIGURE: [...]}}.
nlohmann::ordered_json to_json(const std::vector<Curve>& curves);
/// Returns the state as `json_report` describes it.
nlohmann::ordered_json to_json(const StateResult& state);

}  // namespace gausscse
