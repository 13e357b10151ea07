#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace gausscse {

/// Mean, least and highest value of several seeds at each place of a curve.
struct BandLines {
  std::vector<double> x, mean, low, high;
};

/// A curve of several seeds.
class Band {
 public:
  static constexpr std::size_t all_points = std::size_t{1} << 40;

  explicit Band(std::size_t most_points = all_points) : most_points_(most_points) {}

  /// Adds one seed's curve; x rises. A value that is not finite counts as missing. A curve of more than `most_points`
  /// points is cut into equal parts, and a part is the mean of its values, at the mean of its places.
  void add(std::span<const double> x, std::span<const double> y);

  /// Returns the lines at the places that all of the seeds have. Where a seed has no value there, they are those of the
  /// others; where none has one, they are NaN.
  BandLines lines() const;

  std::int64_t seeds() const { return seeds_; }
  /// Returns whether no place is known of any seed.
  bool empty() const { return lines().x.empty(); }

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
