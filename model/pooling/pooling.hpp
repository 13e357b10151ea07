#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "model/choices.hpp"
#include "model/encoder/encoder.hpp"

namespace gausscse {

/// Turns last hidden states into one vector a sentence.
class Pooling {
 public:
  virtual ~Pooling() = default;
  /// What of the encoder's output it needs.
  virtual EncoderOutput needed_output() const = 0;
  /// [rows of `needed_output`, hidden] -> [sentences, hidden].
  virtual at::Tensor forward(const at::Tensor& hidden_states, const PackedBatch& batch) = 0;
  /// Gradient by the hidden states from `grad` [sentences, hidden].
  virtual at::Tensor backward(const at::Tensor& grad, const PackedBatch& batch) = 0;
};

std::unique_ptr<Pooling> make_pooling(PoolingKind kind);

}  // namespace gausscse
