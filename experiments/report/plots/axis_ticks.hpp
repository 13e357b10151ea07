#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace gausscse {

/// Range of an axis that a plot shows: low < high, both finite.
struct AxisRange {
  double low = 0, high = 1;
  bool operator==(const AxisRange&) const = default;
};

/// Returns the least and the highest finite value of all, made wider by a twentieth at both ends; [0, 1] where there is
/// none. A single value has half a unit or a tenth to both sides, the larger of the two.
AxisRange range_of(std::span<const double> values);

/// Where an axis has ticks, and how they are labelled.
struct AxisTicks {
  std::vector<double> at;
  std::vector<std::string> labels;
};

/// Returns all multiples of a round step (1, 2 or 5 times a power of ten) in the range, with the smallest step that
/// gives at most `most` (>= 2) of them. Labels have as many decimals as the step; with `scale` 100 they are
/// percentages.
AxisTicks round_ticks(AxisRange range, std::size_t most, double scale = 1);

}  // namespace gausscse
