#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "model/encoder/layer_call.hpp"
#include "model/encoder/layer_parameters.hpp"
#include "model/matmul/matmuls.hpp"

namespace gausscse {

/// Values that attention's forward leaves for its backward, and the memory for them, reused from step to step.
struct AttentionActivations {
  at::Tensor qkv;  ///< as the matmul gave it, without its bias, and turned by rotary positions
  ops::AttentionResult result;

  ReusedMatrix qkv_memory, context_memory, statistics_memory;
};

/// Attention of one layer, from its input to the sum's other part: matmul of queries, keys and values, rotary
/// positions, attention itself, and the output's matmul.
class AttentionPart {
 public:
  AttentionPart(const EncoderConfig& config, const LayerParameters& values);

  /// Computes product [rows, hidden], without its bias, of input [tokens, hidden], a factor, and of its rows of first
  /// tokens, if the call is of these. With `keep` the activations are ready for `backward`.
  void forward(const at::Tensor& input, const at::Tensor& first_tokens, const LayerCall& call, bool keep,
               AttentionActivations& activations, Matmuls& products, at::Tensor product) const;

  /// Gradient by the input, undefined where the call does not need it.
  struct InputGradient {
    at::Tensor of_tokens;  ///< [tokens, hidden]
    at::Tensor
        of_first_tokens;  ///< [sentences, hidden], to be added to it; undefined unless the call is of first tokens
  };
  /// Adds to `gradients`, given that of `product`. The result is in `scratch`.
  InputGradient backward(const at::Tensor& grad_product, const at::Tensor& input, const LayerCall& call,
                         const AttentionActivations& activations, const LayerParameters& gradients, Matmuls& products,
                         LayerScratch& scratch) const;

 private:
  ops::AttentionSettings settings(const LayerCall& call) const;
  /// Turns queries and keys, or their gradients. A first token's queries stay as they are, by an angle of 0.
  void rotate(at::Tensor qkv, const LayerCall& call, int direction) const;

  const EncoderConfig& config_;
  const LayerParameters& values_;
  at::TensorOptions options_;  ///< type and device of the parameters
};

}  // namespace gausscse
