#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gausscse {

/// A histogram over a range that is known before: bin i holds low + i * width <= value < low + (i + 1) * width.
struct FixedHistogram {
  double low = 0, width = 1;
  std::vector<std::int64_t> counts = {};  ///< one a bin; the last has its upper end, too
  std::int64_t below = 0, above = 0;      ///< values below the first bin and beyond the last
  std::int64_t total = 0;                 ///< all values, those outside included

  /// Counts a value; what is not a number is left out.
  void add(double value);
};

/// Histograms of several groups over the same bins, those without values left out.
struct Histograms {
  struct Series {
    std::string label;
    std::vector<std::int64_t> counts;  ///< one a bin
    std::int64_t total = 0;            ///< number that shares are of
  };
  double low = 0, width = 1;  ///< low end and width of the first bin
  std::vector<Series> series;
};

/// Returns the histograms of labelled groups of values over at most `most` bins, from the first to the last that holds
/// something. The width is the least power of two, 2^-10 or more, of which so many do. Values that are not finite or
/// beyond 1e15 are left out.
Histograms over_same_bins(const std::vector<std::pair<std::string, std::vector<double>>>& groups, std::size_t most);

}  // namespace gausscse
