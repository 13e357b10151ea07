#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gausscse {

/// Counts of values in bins of one width; bin i holds low + i * width <= value < low + (i + 1) * width.
struct Bins {
  double low = 0, width = 1;
  std::vector<std::int64_t> counts;
};

/// A histogram over a range that is known before.
class FixedHistogram {
 public:
  FixedHistogram(double low, double width, std::size_t bins);
  /// Values below the first bin or beyond the last are counted apart, the upper end of the last bin in it; what is not
  /// a number is left out.
  void add(double value);

  const Bins& bins() const { return bins_; }
  std::int64_t below() const { return below_; }
  std::int64_t above() const { return above_; }
  /// Returns the number of values counted, those outside included.
  std::int64_t total() const { return total_; }

 private:
  Bins bins_;
  std::int64_t below_ = 0, above_ = 0, total_ = 0;
};

/// A histogram over any range: bins are a power of two wide, and become twice as wide whenever values spread over more
/// than 1024 of them. Its content does not depend on the order of its values.
class GrowingHistogram {
 public:
  /// Adds a value; one that is not finite is left out.
  void add(double value);
  std::int64_t total() const { return total_; }

  /// Returns the exponent of the width: bins are 2^exponent wide.
  int exponent() const { return exponent_; }
  /// Returns the least and the highest bin that hold something, as multiples of the width. Only with total() > 0.
  std::int64_t first() const { return first_; }
  std::int64_t last() const { return first_ + static_cast<std::int64_t>(counts_.size()) - 1; }
  /// Returns the counts from bin `first` to bin `last` of a width of 2^exponent, which is this one's or wider.
  std::vector<std::int64_t> counts(int exponent, std::int64_t first, std::int64_t last) const;

 private:
  void widen();

  int exponent_ = -10;
  std::int64_t total_ = 0;
  std::int64_t first_ = 0;
  std::vector<std::int64_t> counts_;  ///< from bin `first_` on; neither the first nor the last is empty
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

/// Returns the histograms over the same bins, at most `most` of them, from the first to the last that holds something.
Histograms over_same_bins(const std::vector<std::pair<std::string, const GrowingHistogram*>>& histograms,
                          std::size_t most);

/// Returns the number of a bin in bins that are `times` times doubled.
std::int64_t wider_bin(std::int64_t bin, int times);

}  // namespace gausscse
