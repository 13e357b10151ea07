#pragma once

#include <ATen/core/Tensor.h>

#include "model/encoder/layer_call.hpp"
#include "model/encoder/layer_parameters.hpp"
#include "model/matmul/matmuls.hpp"

namespace gausscse {

/// Values that the forward of a feed-forward part leaves for its backward, and the memory for them.
struct FeedForwardActivations {
  at::Tensor intermediate;  ///< as the matmul gave it, without its bias

  ReusedMatrix intermediate_memory;
};

/// Feed-forward part of one layer, from its input to the sum's other part: W2 gelu(W1 x + b), or with a gate
/// W2 (activation(A x) * B x).
class FeedForwardPart {
 public:
  FeedForwardPart(const EncoderConfig& config, const LayerParameters& values);

  /// Computes product [rows, hidden], without its bias, of input [rows, hidden], a factor.
  void forward(const at::Tensor& input, const ops::RowShards& shards, FeedForwardActivations& activations,
               Matmuls& products, LayerScratch& scratch, at::Tensor product) const;

  /// Returns the gradient by the input, in `scratch`, and adds to `gradients`, given that of `product`.
  at::Tensor backward(const at::Tensor& grad_product, const at::Tensor& input, const ops::RowShards& shards,
                      const FeedForwardActivations& activations, const LayerParameters& gradients, Matmuls& products,
                      LayerScratch& scratch) const;

 private:
  const EncoderConfig& config_;
  const LayerParameters& values_;
  at::TensorOptions options_;  ///< type and device of the parameters
};

}  // namespace gausscse
