#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "model/encoder/matrix_products.hpp"
#include "model/encoder/packed_batch.hpp"
#include "model/encoder/parameter_store.hpp"
#include "model/encoder/workspace.hpp"
#include "model/ops/ops.hpp"
#include "model/weights/encoder_config.hpp"

namespace gausscse {

/// The embedding tables and their layer norm, as views of a parameter store.
struct EmbeddingParameters {
  at::Tensor word, position, token_type;
  ops::LayerNormParameters norm;
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

/// Where in a layer dropout acts.
struct LayerDropout {
  DropoutSite probabilities;  ///< attention probabilities
  DropoutSite attention;      ///< output of attention
  DropoutSite output;         ///< output of the feed-forward part
};

/// What a layer's forward leaves for its backward, and the memory for it, reused from step to step.
struct LayerActivations {
  at::Tensor input, qkv, context, attended, intermediate;
  ops::LayerNormState attention_state, output_state;

  ReusedMatrix qkv_memory, context_memory, attended_memory, intermediate_memory, output_memory;
  ReusedMatrix attention_normalized, attention_inverse, output_normalized, output_inverse;
};

/// Memory that all layers share: nothing in it outlives a layer's forward or backward.
struct LayerScratch {
  ReusedMatrix activation, product, first_rows, grad_hidden, grad_hidden2, grad_hidden3, grad_wide, grad_qkv;
};

/// One transformer layer, forward and backward.
class EncoderLayer {
 public:
  EncoderLayer(const EncoderConfig& config, const ParameterStore& parameters, std::size_t index);

  /// Which rows come out: all tokens, or (in the last layer) only the first of each sentence.
  struct Call {
    const PackedBatch& batch;
    bool first_tokens;
    LayerDropout dropout;
  };

  /// [tokens, hidden] -> [tokens or sentences, hidden], in `activations`, where it may take the place of `input`. With
  /// `keep` these are ready for `backward`; `input` must then stay as it is, and not be part of them.
  at::Tensor forward(const at::Tensor& input, const Call& call, bool keep, LayerActivations& activations,
                     MatrixProducts& products, LayerScratch& scratch) const;

  /// Gradient by the input [tokens, hidden], in `scratch`, from `grad` by the output (overwritten).
  at::Tensor backward(at::Tensor grad, const LayerActivations& activations, ParameterStore& parameters,
                      MatrixProducts& products, const Call& call, LayerScratch& scratch) const;

 private:
  ops::Rows output_rows(const Call& call) const;

  const EncoderConfig& config_;
  std::string prefix_;
  LayerParameters values_;
  at::ScalarType type_;
};

}  // namespace gausscse
