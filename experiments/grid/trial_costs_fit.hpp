#pragma once

#include <map>
#include <vector>

namespace gausscse {

/// Throws std::logic_error where there are no values.
double median(std::vector<double> values);

/// What a cost is at `size`, of what it is at other sizes (positive): on the line between the two sizes around it, or
/// on that through the two nearest, but not steeper than in proportion to the size and not falling with it. A single
/// cost is taken in proportion. Throws std::logic_error where no cost is known.
double cost_at(const std::map<double, double>& costs, double size);

/// base + slope * size.
struct CostLine {
  double base = 0, slope = 0;
  double at(double size) const { return base + slope * size; }
};

/// The line nearest to the costs (least squares), of those that neither begin below 0 nor fall. At least two sizes.
CostLine fit_cost_line(const std::map<double, double>& costs);

}  // namespace gausscse
