#pragma once

#include <ATen/ops/empty.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>

#include "dist/retry_scope.hpp"
#include "model/device/transfers.hpp"
#include "model/kernels/dropout_site.hpp"
#include "training/prepared_batch.hpp"
#include "training/training_observer.hpp"

namespace gausscse {

class TrainingStep;

/// Sets `value` for as long as it lives, and back to nothing. Where an exception ends it, `value` stays as it is, so
/// that `memory` reports the parts held and the part that was to grow.
template <typename Value>
class Holding {
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

/// Values that the parts of a step share. It calls the parts, and where memory is refused to one, halves the
/// micro-batch: see docs/developers/memory_retry.md.
struct StepPass final : RetryScope {
  StepPass(TrainingStep& of, const PreparedBatch& prepared, TrainingRequests* asked_for);

  void retryable(const std::function<void()>& part) override;
  void irreversible(const std::function<void()>& part) override;

  /// Goes on with the micro-batches of `prepared`: `batch`, or `smaller`.
  void take_micro_batches(const PreparedBatch* prepared);
  /// Cuts the batch into the micro-batches that the step has come to.
  void take_micro_batch();

  TrainingStep& step;
  const PreparedBatch& batch;
  TrainingRequests* const requests;        ///< null: there are none
  PreparedBatch smaller = {};              ///< the same batch in smaller micro-batches than it was prepared with
  const PreparedBatch* current = nullptr;  ///< one of both: the batch as it is cut now
  /// True if those of all micro-batches are kept; else each is embedded once more for its backward
  bool keeps_activations = false;
  const std::int64_t share;  ///< examples of this rank
  const std::int64_t first;  ///< the first of them in the batch
  const DropoutStep dropout;
  const Holding<std::int64_t> held_batch;
  at::Tensor embeddings;     ///< [roles, own, width]
  bool is_cut = false;       ///< true if this rank was asked to stop, and computes no further micro-batch
  bool must_repeat = false;  ///< true if a part was refused memory that cannot be repeated: all ranks repeat the step
  const Holding<std::int64_t> held_embeddings;
};

/// Result of the loss for this rank's anchors.
struct RankLoss {
  /// Waited for behind the backward, so that a device has work meanwhile
  std::optional<ops::HostCopy> parts;
  at::Tensor gradient;  ///< by this rank's embeddings
};

}  // namespace gausscse
