#pragma once

#include <optional>
#include <vector>

#include "experiments/results/run_result.hpp"

namespace gausscse {

/// Plain means over test sets, each of which counts once, whatever its number of pairs. Fractions.
struct AverageMetrics {
  double accuracy = 0;
  double auprc = 0;
  double direction_sim = 0;
  double direction_var = 0;
  double direction_length = 0;
};

/// Calls `visit(name, member)` for each figure, in order; `Average` is const or not.
template <typename Average, typename Visit>
void for_each_average(Average& average, Visit visit) {
  visit("accuracy", average.accuracy);
  visit("auprc", average.auprc);
  visit("direction_sim", average.direction_sim);
  visit("direction_var", average.direction_var);
  visit("direction_length", average.direction_length);
}

/// The average over `tests`; nothing where there are less than two. A figure that one of them lacks (NaN) is NaN.
std::optional<AverageMetrics> average_of(const std::vector<TestResult>& tests);

}  // namespace gausscse
