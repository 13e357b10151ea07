#pragma once

#include <span>
#include <vector>

namespace gausscse {

/// Weights of a logistic regression, P = 1 / (1 + exp(-(weights x + intercept))).
struct LogisticWeights {
  std::vector<double> weights;
  double intercept = 0;
};

/// Returns the minimum of the mean over rows of -(t ln P + (1 - t) ln(1 - P)), plus l2 / 2 times the sum of squared
/// weights, without the intercept. `rows` are [targets, columns], one behind the other; a target t lies in [0, 1].
/// Newton's method with halved steps: the gradient's largest value is at most 1e-10 where rounding allows. The minimum
/// exists if l2 > 0 or all targets lie between 0 and 1.
LogisticWeights fit_logistic_regression(std::span<const double> rows, std::span<const double> targets, double l2);

}  // namespace gausscse
