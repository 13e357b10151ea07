#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "data/corpus/choices.hpp"

namespace gausscse {

/// Plan of the examples that each training step takes: a pure function of the order, the seed, the epoch, the step, the
/// sizes and, if there are some, the texts. It is the same on every rank. Where the order is shuffled, each epoch is a
/// new shuffle (Fisher-Yates over Philox draws). Not for use by two threads at once.
///
/// Without texts a batch has the examples that come next in the order. With texts no two examples of a batch have a
/// text in common, as NoDuplicatesBatchSampler of sentence-transformers has it. A batch goes through the examples that
/// are left, in the order, and takes each one that shares no text with those it has, until it is full. The others are
/// left for the next batches. Where none fits any more the batch is incomplete. It is dropped or kept, and the next one
/// goes on with the examples that are left. So the number of steps is one of the epoch.
///
///     BatchPlan plan(store.examples(), 64, ExampleOrder::shuffled, seed, /*drop_last=*/true);
///     for (std::int64_t step = 0; step < plan.steps_of_epochs(3); ++step) train(plan.batch_of_training(step));
class BatchPlan {
 public:
  /// Makes a plan. `examples` is their number, `batch_size` the global one, `seed` that of the shuffles, without
  /// meaning for ExampleOrder::file; `drop_last` leaves out incomplete batches. `texts`, [examples x roles] numbers of
  /// texts, is empty where a batch may have any examples. Throws InputError if either size is 0, there are more than
  /// 2^32 - 1 examples, or nothing is left after dropping.
  BatchPlan(std::size_t examples, std::size_t batch_size, ExampleOrder order, std::uint64_t seed, bool drop_last,
            std::vector<std::uint32_t> texts = {});

  /// Returns the number of steps of an epoch (from 0). Throws InputError where that is 0, as by the texts.
  std::size_t steps_of_epoch(std::uint32_t epoch);
  /// Returns the number of steps of the first `epochs` epochs together.
  std::int64_t steps_of_epochs(std::int64_t epochs);

  /// Returns the examples of `step` (0 .. steps_of_epoch(epoch) - 1) of `epoch`: `batch_size` of them, fewer in an
  /// incomplete batch that is kept. The epoch asked for last is kept.
  std::vector<std::uint32_t> batch(std::uint32_t epoch, std::size_t step);
  /// Returns the examples of a step (from 0) of a training that takes one epoch after another.
  std::vector<std::uint32_t> batch_of_training(std::int64_t step);

 private:
  /// Makes the plan of an epoch, unless it is the one that is kept.
  void plan(std::uint32_t epoch);
  /// Puts the examples of `order_of_epoch_` in batches that have no text twice.
  void part_by_texts();

  std::size_t examples_;
  std::size_t batch_size_;
  ExampleOrder order_;
  std::uint64_t seed_;
  bool drop_last_;
  std::vector<std::uint32_t> texts_;
  std::optional<std::uint32_t> planned_epoch_;
  std::vector<std::uint32_t> order_of_epoch_;  ///< examples of its batches, one after another
  std::vector<std::size_t> ends_;              ///< end of each batch in it
  std::vector<std::int64_t> first_steps_{
      0};  ///< number in the training of the first step of each counted epoch, and of the next one
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
