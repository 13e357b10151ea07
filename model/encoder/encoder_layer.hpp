#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "model/batch/packed_batch.hpp"
#include "model/batch/parameter_store.hpp"
#include "model/matmul/matmuls.hpp"
#include "model/ops/ops.hpp"
#include "model/ops/reused_matrix.hpp"
#include "model/weights/encoder_config.hpp"

namespace gausscse {

/// The embedding tables and their layer norm, and the parameters that all layers share, as views of a parameter store.
struct EmbeddingParameters {
  at::Tensor word, position;
  at::Tensor token_type;  ///< undefined in families without token types
  ops::LayerNormParameters norm;
  at::Tensor relative_position;  ///< biases of attention [buckets, heads]; undefined in families without them
};

/// One layer's parameters, or their gradients, as views of a parameter store.
struct LayerParameters {
  at::Tensor qkv_weight;  ///< [3*hidden, hidden]: query, key, value
  at::Tensor qkv_bias;    ///< [3*hidden]
  at::Tensor attention_weight, attention_bias;
  ops::LayerNormParameters attention_norm;
  at::Tensor intermediate_weight, intermediate_bias;
  at::Tensor output_weight, output_bias;
  ops::LayerNormParameters output_norm;
};

/// Sites of dropout in a layer.
struct LayerDropout {
  DropoutSite probabilities;  ///< attention probabilities
  DropoutSite attention;      ///< output of attention
  DropoutSite output;         ///< output of the feed-forward part
};

/// Rows between layers, [rows, hidden].
struct HiddenStates {
  at::Tensor values;
  at::Tensor factor;  ///< the same as a factor of matrix products: `values` itself, or bfloat16
};

/// Returns uninitialised hidden states in the given memory.
HiddenStates hidden_states(const Matmuls& products, ReusedMatrix& values, ReusedMatrix& factor, std::int64_t rows,
                           std::int64_t hidden, const at::TensorOptions& options);

/// A gradient by hidden states is the sum of two tensors, of which the second may be undefined.
struct HiddenGradient {
  at::Tensor grad;
  at::Tensor addend;  ///< as a matrix product left it
};

/// Values that a layer's forward leaves for its backward, and the memory for them, reused from step to step. Outputs of
/// matrix products are kept as these give them, without their biases.
struct LayerActivations {
  HiddenStates input, attended;
  at::Tensor qkv, intermediate;
  ops::AttentionResult attention;
  ops::LayerNormState attention_state, output_state;

  ReusedMatrix qkv_memory, context_memory, statistics_memory, intermediate_memory;
  ReusedMatrix attended_memory, attended_factor_memory, output_memory, output_factor_memory;
  ReusedMatrix attention_normalized, attention_inverse, output_normalized, output_inverse;

  std::int64_t bytes() const;
};

/// Memory that all layers share: nothing in it outlives a layer's forward, or the next layer's backward.
struct LayerScratch {
  ReusedMatrix first_rows, first_factors, grad_hidden, grad_attended;
  ReusedMatrix activation, product, grad_product, grad_addend, grad_context, grad_wide, grad_qkv;

  std::int64_t bytes() const;
};

/// One transformer layer, forward and backward.
class EncoderLayer {
 public:
  EncoderLayer(const EncoderConfig& config, const ParameterStore& parameters, std::size_t index);

  struct Call {
    const PackedBatch& batch;
    bool first_tokens;      ///< rows that come out: all tokens, or (in the last layer) only each sentence's first
    bool has_layer_before;  ///< true if the backward goes on before this layer, and so needs the gradient by its input
    LayerDropout dropout;
    ops::RelativePositionBias relative_position;
  };

  /// Maps [tokens, hidden] -> [tokens or sentences, hidden], in `activations`, where it may take the place of `input`.
  /// With `keep` these are ready for `backward`; `input` must then stay as it is, and not be part of them.
  HiddenStates forward(const HiddenStates& input, const Call& call, bool keep, LayerActivations& activations,
                       Matmuls& products, LayerScratch& scratch) const;

  /// Returns the gradient by the input [tokens, hidden], in `scratch`, from `grad` by the output (overwritten);
  /// undefined where the call does not need it.
  HiddenGradient backward(const HiddenGradient& grad, const LayerActivations& activations, ParameterStore& parameters,
                          Matmuls& products, const Call& call, LayerScratch& scratch) const;

  const LayerParameters& parameters() const { return values_; }
  /// Returns the first element of its parameters, and so of their gradients, among all of the model.
  std::int64_t first_parameter() const { return first_parameter_; }

 private:
  ops::Rows output_rows(const Call& call) const;

  const EncoderConfig& config_;
  std::string prefix_;
  std::int64_t first_parameter_;
  LayerParameters values_;
  at::TensorOptions options_;  ///< type and device of the parameters
};

}  // namespace gausscse
