#include "experiments/results/average.hpp"

namespace gausscse {

std::optional<AverageMetrics> average_of(const std::vector<TestResult>& tests) {
  if (tests.size() < 2) return std::nullopt;
  AverageMetrics average;
  for (const TestResult& test : tests) {
    average.accuracy += test.metrics.accuracy;
    average.auprc += test.metrics.auprc;
    average.direction_sim += test.metrics.direction_sim;
    average.direction_var += test.metrics.direction_var;
    average.direction_length += test.metrics.direction_length;
  }
  for_each_average(average, [&](const char*, double& sum) { sum /= static_cast<double>(tests.size()); });
  return average;
}

}  // namespace gausscse
