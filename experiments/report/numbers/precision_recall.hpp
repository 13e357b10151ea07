#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gausscse {

/// Points of a curve of precision over recall, recall rising.
struct PrecisionRecall {
  std::vector<double> recall, precision;
};

/// Returns one point at each distinct score (pairs with it or a higher one are said to be positive), behind the point
/// (recall 0, precision 1); `positive[i]` is not 0 where pair i is one. Pairs whose score is NaN are left out. Empty
/// where there is no positive.
PrecisionRecall precision_recall_of(std::span<const float> scores, std::span<const std::uint8_t> positive);

/// Returns the precision at a recall in [0, 1], on the straight line between the points next to it; of several points
/// with this recall that of the highest score. Only of a curve with points.
double precision_at(const PrecisionRecall& curve, double recall);

}  // namespace gausscse
