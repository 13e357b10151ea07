#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "base/interval.hpp"
#include "config/tasks/length_strata.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// Share of directions that are right, mean over seeds, with Wilson's 95 % interval as if it were one trial's.
struct DirectionShare {
  double share = 0;
  Interval interval;
};

/// Directions of a bin of lengths.
struct DirectionBin {
  const LengthStratum* stratum = nullptr;
  double pairs = 0;       ///< number of one seed
  double difference = 0;  ///< mean of premise minus hypothesis, in characters
  DirectionShare by_similarity, by_variance;
};

/// Directions of an NLI task by the difference of lengths, from the columns of measurements, of all seeds that were
/// added.
class DirectionByLength {
 public:
  /// Adds one seed's measurement; one without directions or without columns of lengths adds nothing. Throws InputError
  /// where columns and metrics do not belong together.
  void add(const Measurement& measurement);

  /// Returns those of `length_bins` that have pairs.
  std::vector<DirectionBin> bins() const;
  bool empty() const { return seeds_ == 0; }

 private:
  struct Counts {
    double pairs = 0, differences = 0, right_by_similarity = 0, right_by_variance = 0;
  };

  std::array<Counts, length_bins.size()> counts_;  ///< sums over seeds
  double seeds_ = 0;
};

}  // namespace gausscse
