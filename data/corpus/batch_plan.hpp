#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "data/corpus/choices.hpp"

namespace gausscse {

/// Plan of the examples that each training step takes: a pure function of the order, the seed, the epoch, the step and
/// the sizes, the same on every rank. Where the order is shuffled, each epoch is a new shuffle (Fisher-Yates over
/// Philox draws). Not for use by two threads at once.
class BatchPlan {
 public:
  /// Makes a plan. `examples` is their number, `batch_size` the global one, `seed` that of the shuffles, without
  /// meaning for ExampleOrder::file; `drop_last` leaves out an incomplete last batch. Throws InputError if either size
  /// is 0, there are more than 2^32 - 1 examples, or nothing is left after dropping.
  BatchPlan(std::size_t examples, std::size_t batch_size, ExampleOrder order, std::uint64_t seed, bool drop_last);

  std::size_t steps_per_epoch() const { return steps_per_epoch_; }

  /// Examples of `step` (0 .. steps_per_epoch() - 1) of `epoch` (from 0): `batch_size` of them, fewer in a last batch
  /// that is kept. The shuffle of the epoch asked for last is kept.
  std::vector<std::uint32_t> batch(std::uint32_t epoch, std::size_t step);

 private:
  void shuffle(std::uint32_t epoch);

  std::size_t examples_;
  std::size_t batch_size_;
  ExampleOrder order_;
  std::uint64_t seed_;
  std::size_t steps_per_epoch_;
  std::optional<std::uint32_t> shuffled_epoch_;
  std::vector<std::uint32_t> shuffled_;
};

/// The part of a batch that a rank computes: positions begin .. end - 1 of it. May be empty.
struct Share {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
  bool operator==(const Share&) const = default;
};

/// Shares of `ranks` (>= 1) ranks, in the order of ranks, that cover a batch of `batch_size`; sizes differ by at most
/// 1, the larger ones first.
Share share_of(std::size_t rank, std::size_t ranks, std::size_t batch_size);

}  // namespace gausscse
