#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gausscse {

/// Which triples each training step takes: a pure function of the seed, the epoch, the step and the sizes, the same on
/// every rank. Each epoch is a new shuffle (Fisher-Yates over Philox draws). Not for use by two threads at once.
class BatchPlan {
 public:
  /// `triples` is their number, `batch_size` the global one, `drop_last` leaves out an incomplete last batch. Throws
  /// InputError if either size is 0, there are more than 2^32 - 1 triples, or nothing is left after dropping.
  BatchPlan(std::size_t triples, std::size_t batch_size, std::uint64_t seed, bool drop_last);

  std::size_t steps_per_epoch() const { return steps_per_epoch_; }

  /// Triples of `step` (0 .. steps_per_epoch() - 1) of `epoch` (from 0): `batch_size` of them, fewer in a last batch
  /// that is kept. The shuffle of the epoch asked for last is kept.
  std::vector<std::uint32_t> batch(std::uint32_t epoch, std::size_t step);

 private:
  void shuffle(std::uint32_t epoch);

  std::size_t triples_;
  std::size_t batch_size_;
  std::uint64_t seed_;
  std::size_t steps_per_epoch_;
  std::optional<std::uint32_t> shuffled_epoch_;
  std::vector<std::uint32_t> order_;
};

}  // namespace gausscse
