#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "model/choices.hpp"
#include "model/encoder/encoder.hpp"
#include "model/ops/reused_matrix.hpp"

namespace gausscse {

/// Values that a pooling's forward leaves for its backward, and the memory for them.
struct PoolingActivations {
  /// Given to the forward. int64 [sentences] on the device of the batch, or undefined: tokens of the longest sentence
  /// of each one's role in the batch. A mean divides by that number in place of the sentence's own
  /// (PoolingDivisor::longest).
  at::Tensor longest;
  at::Tensor token;  ///< int32 [sentences, hidden]: where each maximum was found
  ReusedMatrix pooled_memory, token_memory;
};

/// Turns last hidden states into one vector a sentence.
class Pooling {
 public:
  virtual ~Pooling() = default;
  /// Returns the part of the encoder's output that it needs.
  virtual EncoderOutput needed_output() const = 0;
  /// Maps [rows of `needed_output`, hidden] -> [sentences, hidden]: `hidden_states` themselves, or part of
  /// `activations`.
  virtual at::Tensor forward(const at::Tensor& hidden_states, const PackedBatch& batch,
                             PoolingActivations& activations) = 0;
  /// Returns the gradient by the hidden states from `grad` [sentences, hidden]: `grad` itself, or valid until the next
  /// call.
  virtual at::Tensor backward(const at::Tensor& grad, const PackedBatch& batch,
                              const PoolingActivations& activations) = 0;
};

std::unique_ptr<Pooling> make_pooling(PoolingKind kind);

}  // namespace gausscse
