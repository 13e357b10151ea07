#include "evaluation/calibration/logistic_regression.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace gausscse {

namespace {

constexpr int most_newton_steps = 200;
constexpr double gradient_tolerance = 1e-10;
/// Added to the diagonal of the Hessian, which a constant column would make singular.
constexpr double least_curvature = 1e-12;

/// A loss with its gradient and Hessian. The last variable is the intercept.
struct LogisticPoint {
  double loss = 0;
  std::vector<double> gradient, hessian;  ///< [variables], [variables, variables]
};

class LogisticLoss {
 public:
  LogisticLoss(std::span<const double> rows, std::span<const double> targets, double l2)
      : rows_(rows), targets_(targets), l2_(l2), columns_(rows.size() / targets.size()) {}

  std::size_t variables() const { return columns_ + 1; }

  LogisticPoint at(const std::vector<double>& variables) const {
    const std::size_t size = this->variables();
    LogisticPoint point{0, std::vector<double>(size, 0), std::vector<double>(size * size, 0)};
    const double share = 1 / static_cast<double>(targets_.size());
    std::vector<double> x(size, 1);
    for (std::size_t row = 0; row < targets_.size(); ++row) {
      std::copy_n(rows_.begin() + static_cast<std::ptrdiff_t>(row * columns_), columns_, x.begin());
      double score = 0;
      for (std::size_t i = 0; i < size; ++i) score += variables[i] * x[i];
      // ln(1 + exp(score)) - t score, and P, without overflow.
      const double small = std::exp(-std::abs(score));
      point.loss += share * (std::max(score, 0.0) + std::log1p(small) - targets_[row] * score);
      const double p = score >= 0 ? 1 / (1 + small) : small / (1 + small);
      const double curvature = share * small / ((1 + small) * (1 + small));
      for (std::size_t i = 0; i < size; ++i) {
        point.gradient[i] += share * (p - targets_[row]) * x[i];
        for (std::size_t j = 0; j < size; ++j) point.hessian[i * size + j] += curvature * x[i] * x[j];
      }
    }
    for (std::size_t i = 0; i < columns_; ++i) {
      point.loss += l2_ / 2 * variables[i] * variables[i];
      point.gradient[i] += l2_ * variables[i];
      point.hessian[i * size + i] += l2_;
    }
    return point;
  }

 private:
  std::span<const double> rows_, targets_;
  double l2_;
  std::size_t columns_;
};

/// Returns the solution of a symmetric positive definite system, by Gauss's elimination.
std::vector<double> solved(std::vector<double> matrix, std::vector<double> right) {
  const std::size_t size = right.size();
  for (std::size_t i = 0; i < size; ++i) matrix[i * size + i] += least_curvature;
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t i = k + 1; i < size; ++i) {
      const double factor = matrix[i * size + k] / matrix[k * size + k];
      for (std::size_t j = k; j < size; ++j) matrix[i * size + j] -= factor * matrix[k * size + j];
      right[i] -= factor * right[k];
    }
  for (std::size_t k = size; k-- > 0;) {
    for (std::size_t j = k + 1; j < size; ++j) right[k] -= matrix[k * size + j] * right[j];
    right[k] /= matrix[k * size + k];
  }
  return right;
}

}  // namespace

LogisticWeights fit_logistic_regression(std::span<const double> rows, std::span<const double> targets, double l2) {
  const LogisticLoss loss(rows, targets, l2);
  std::vector<double> variables(loss.variables(), 0);
  LogisticPoint point = loss.at(variables);
  for (int step = 0; step < most_newton_steps; ++step) {
    const double steepest = std::abs(*std::max_element(point.gradient.begin(), point.gradient.end(),
                                                       [](double a, double b) { return std::abs(a) < std::abs(b); }));
    if (steepest <= gradient_tolerance) break;
    const std::vector<double> direction = solved(point.hessian, point.gradient);
    double part = 1;
    std::vector<double> next = variables;
    LogisticPoint there;
    for (; part > 1e-10; part /= 2) {
      for (std::size_t i = 0; i < next.size(); ++i) next[i] = variables[i] - part * direction[i];
      there = loss.at(next);
      if (there.loss < point.loss) break;
    }
    if (!(there.loss < point.loss)) break;  // rounding hides the rest
    variables = next;
    point = std::move(there);
  }
  return {{variables.begin(), variables.end() - 1}, variables.back()};
}

}  // namespace gausscse
