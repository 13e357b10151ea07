#include "experiments/results/metrics_table.hpp"

#include <vector>

#include "experiments/results/average.hpp"
#include "experiments/results/text_table.hpp"

namespace gausscse {

namespace {

using Row = std::vector<std::string>;

Row row_of(const std::string& name, const NliMetrics& metrics) {
  return {name,
          std::to_string(metrics.pairs),
          percent_text(metrics.accuracy),
          fixed_text(metrics.threshold, 3),
          percent_text(metrics.auprc),
          std::to_string(metrics.directed_pairs),
          percent_text(metrics.direction_sim),
          percent_text(metrics.direction_var),
          percent_text(metrics.direction_length)};
}

Row row_of(const AverageMetrics& average) {
  return {"average",
          "-",
          percent_text(average.accuracy),
          "-",
          percent_text(average.auprc),
          "-",
          percent_text(average.direction_sim),
          percent_text(average.direction_var),
          percent_text(average.direction_length)};
}

}  // namespace

std::string metrics_table(const StateResult& state) {
  std::vector<Row> rows = {
      {"set", "pairs", "accuracy %", "threshold", "AUPRC %", "directed pairs", "direction by sim %", "by variance %",
       "by length %"},
  };
  if (state.dev) rows.push_back(row_of("dev", *state.dev));
  for (const TestResult& test : state.tests) rows.push_back(row_of(test.name, test.metrics));
  if (const auto average = average_of(state.tests)) rows.push_back(row_of(*average));

  return state.state + " state, after " + std::to_string(state.step) + " steps\n" + text_table(rows);
}

}  // namespace gausscse
