#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gausscse {

/// Histograms of several groups over the same bins, those without values left out.
struct Histograms {
  struct Series {
    std::string label;
    std::vector<std::int64_t> counts;   ///< one a bin
    std::int64_t total = 0;             ///< number that shares are of: values outside the bins included
    std::int64_t below = 0, above = 0;  ///< values before the first bin and behind the last
  };
  double low = 0, width = 1;  ///< low end and width of the first bin
  std::vector<Series> series;
};

/// Returns the histograms of labelled groups of values over at most `most` bins; few values have fewer, three times the
/// root of the largest group's number, but 16 at least. Bins reach over all values; but where the values without the
/// lowest and the highest half percent of each group fill less than two thirds of this range, only over these. The
/// width is the least power of two, 2^-20 or more, of which so many do. Values that are not finite or beyond 1e15 are
/// left out.
Histograms over_same_bins(const std::vector<std::pair<std::string, std::vector<double>>>& groups, std::size_t most);

}  // namespace gausscse
