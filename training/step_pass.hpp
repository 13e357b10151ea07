#pragma once

#include <ATen/ops/empty.h>

#include <cstdint>
#include <exception>

#include "model/ops/transfers.hpp"
#include "training/training_step.hpp"

namespace gausscse {

/// Sets `value` for as long as it lives, and back to nothing. Where an exception ends it, `value` stays as it is, so
/// that `memory` reports what was held, and what was to grow.
template <typename Value>
class TrainingStep::Holding {
 public:
  Holding(Value& value, Value held) : value_(value), exceptions_(std::uncaught_exceptions()) { value_ = held; }
  ~Holding() {
    if (std::uncaught_exceptions() == exceptions_) value_ = Value{};
  }
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;

 private:
  Value& value_;
  int exceptions_;
};

/// Values that the parts of a step share.
struct TrainingStep::Pass {
  Pass(TrainingStep& step, const PreparedBatch& prepared)
      : batch(prepared),
        share(batch.shares[static_cast<std::size_t>(step.communicator_.rank())]),
        first(batch.pieces.empty() ? 0 : batch.pieces.front().begin()),
        dropout(DropoutStep::of(step.settings_.seed, static_cast<std::uint64_t>(batch.step))),
        held_batch(step.held_.bytes_of_batch, batch.bytes_on_device()),
        embeddings(at::empty({step.objective_.roles(), share, step.encoder_.width()},
                             step.encoder_.parameters().values().options())),
        held_embeddings(step.held_.bytes_of_embeddings, static_cast<std::int64_t>(embeddings.nbytes())) {
    take_pieces(step, &prepared);
  }

  /// Goes on with the micro-batches of `prepared`: `batch`, or `smaller`.
  void take_pieces(TrainingStep& step, const PreparedBatch* prepared);

  const PreparedBatch& batch;
  PreparedBatch smaller = {};          ///< the same batch in smaller micro-batches than it was prepared with
  const PreparedBatch* cut = nullptr;  ///< one of both: the batch as it is cut now
  /// True if those of all micro-batches are kept; else each is embedded once more for its backward
  bool keeps_activations = false;
  const std::int64_t share;  ///< examples of this rank
  const std::int64_t first;  ///< the first of them in the batch
  const DropoutStep dropout;
  const Holding<std::int64_t> held_batch;
  at::Tensor embeddings;  ///< [roles, own, width]
  const Holding<std::int64_t> held_embeddings;
};

/// Result of the loss for this rank's anchors.
struct TrainingStep::RankLoss {
  ops::HostCopy parts;  ///< waited for behind the backward, so that a device has work meanwhile
  at::Tensor gradient;  ///< by this rank's embeddings
};

}  // namespace gausscse
