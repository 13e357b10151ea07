#include "experiments/results/json_report.hpp"

#include <nlohmann/json.hpp>

namespace gausscse {

namespace {

nlohmann::ordered_json to_json(const NliMetrics& metrics) {
  // The library prints NaN as null.
  return {{"pairs", metrics.pairs},
          {"accuracy", metrics.accuracy},
          {"threshold", metrics.threshold},
          {"auprc", metrics.auprc},
          {"direction_sim", metrics.direction_sim},
          {"direction_var", metrics.direction_var},
          {"direction_length", metrics.direction_length}};
}

}  // namespace

std::string json_report(const StateResult& state) {
  nlohmann::ordered_json tests = nlohmann::ordered_json::object();
  for (const TestResult& test : state.tests) tests[test.name] = to_json(test.metrics);
  return nlohmann::ordered_json{{"dev", to_json(state.dev)}, {"test", std::move(tests)}}.dump(2) + "\n";
}

}  // namespace gausscse
