#include "experiments/results/metrics_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace gausscse {

namespace {

constexpr std::size_t columns = 8;
using Row = std::array<std::string, columns>;

std::string fixed(double value, int decimals) {
  if (std::isnan(value)) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string percent(double fraction) {
  return fixed(100.0 * fraction, 2);
}

Row row_of(const std::string& name, const NliMetrics& metrics) {
  return {name,
          std::to_string(metrics.pairs),
          percent(metrics.accuracy),
          fixed(metrics.threshold, 3),
          percent(metrics.auprc),
          percent(metrics.direction_sim),
          percent(metrics.direction_var),
          percent(metrics.direction_length)};
}

std::string padding(std::size_t width, const std::string& text) {
  return std::string(width - text.size(), ' ');
}

}  // namespace

std::string metrics_table(const StateResult& state) {
  std::vector<Row> rows = {
      {"set", "pairs", "accuracy %", "threshold", "AUPRC %", "direction by sim %", "by variance %", "by length %"},
      row_of("dev", state.dev)};
  for (const TestResult& test : state.tests) rows.push_back(row_of(test.name, test.metrics));

  std::array<std::size_t, columns> width{};
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < columns; ++c) width[c] = std::max(width[c], row[c].size());
  }
  std::string table;
  for (const Row& row : rows) {
    table += row[0] + padding(width[0], row[0]);
    for (std::size_t c = 1; c < columns; ++c) table += "  " + padding(width[c], row[c]) + row[c];
    table += '\n';
  }
  return table;
}

}  // namespace gausscse
