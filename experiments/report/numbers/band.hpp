#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace gausscse {

/// A curve of several seeds: mean, least and highest value at each place.
struct Band {
  std::vector<double> x, mean, low, high;
  std::int64_t seeds = 0;
};

/// Adds up the curves of seeds, of each at most `most_points` points: longer ones are cut into equal parts, and a part
/// is the mean of its values, at the mean of its places.
class BandOfSeeds {
 public:
  explicit BandOfSeeds(std::size_t most_points) : most_points_(most_points) {}

  /// Adds one seed's curve; x rises. A value that is not finite counts as missing.
  void add(std::span<const double> x, std::span<const double> y);
  /// Returns the band at the places that all of the seeds have. Where a seed has no value there, mean and band are
  /// those of the others; where none has one, they are NaN.
  Band band() const;

 private:
  struct At {
    std::int64_t seeds = 0, values = 0;
    double sum = 0, low = 0, high = 0;
  };

  std::size_t most_points_;
  std::int64_t seeds_ = 0;
  std::map<double, At> at_;
};

}  // namespace gausscse
