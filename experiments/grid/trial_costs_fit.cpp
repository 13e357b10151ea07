#include "experiments/grid/trial_costs_fit.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "base/error.hpp"

namespace gausscse {

double median(std::vector<double> values) {
  GAUSSCSE_CHECK(!values.empty(), "no values");
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double cost_at(const std::map<double, double>& costs, double size) {
  GAUSSCSE_CHECK(!costs.empty(), "no costs");
  auto above = costs.lower_bound(size);
  if (above != costs.end() && above->first == size) return above->second;
  const auto nearest = above == costs.end() ? std::prev(above) : above;
  const double in_proportion = nearest->second * size / nearest->first;
  if (costs.size() == 1) return in_proportion;
  if (above == costs.begin()) ++above;
  if (above == costs.end()) --above;
  const auto& [size1, cost1] = *std::prev(above);
  const auto& [size2, cost2] = *above;
  const double on_line = cost1 + (cost2 - cost1) * (size - size1) / (size2 - size1);
  if (size1 < size && size < size2) return on_line;
  return std::clamp(on_line, std::min(nearest->second, in_proportion), std::max(nearest->second, in_proportion));
}

CostLine fit_cost_line(const std::map<double, double>& costs) {
  GAUSSCSE_CHECK(costs.size() >= 2, "a line needs two sizes");
  const auto count = static_cast<double>(costs.size());
  double mean_size = 0, mean_cost = 0;
  for (const auto& [size, cost] : costs) {
    mean_size += size / count;
    mean_cost += cost / count;
  }
  double covariance = 0, variance = 0, product = 0, square = 0;
  for (const auto& [size, cost] : costs) {
    covariance += (size - mean_size) * (cost - mean_cost);
    variance += (size - mean_size) * (size - mean_size);
    product += size * cost;
    square += size * size;
  }
  const double slope = covariance / variance;
  if (slope <= 0) return {mean_cost, 0};
  const double base = mean_cost - slope * mean_size;
  if (base < 0) return {0, product / square};
  return {base, slope};
}

}  // namespace gausscse
