#pragma once

namespace gausscse {

/// Ends of an interval; both are NaN where there is none.
struct Interval {
  double low = 0, high = 0;
};

}  // namespace gausscse
