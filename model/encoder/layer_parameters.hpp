#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <string>

#include "model/batch/parameter_store.hpp"
#include "model/ops/ops.hpp"
#include "model/weights/encoder_config.hpp"

namespace gausscse {

/// The embedding tables and their layer norm, and the parameters that all layers share, as views of a parameter store.
struct EmbeddingParameters {
  at::Tensor word;
  at::Tensor position;    ///< undefined in families with rotary positions
  at::Tensor token_type;  ///< undefined in families without token types
  ops::LayerNormParameters norm;
  at::Tensor relative_position;  ///< biases of attention [buckets, heads]; undefined in families without them
};

/// One layer's parameters, or their gradients, as views of a parameter store. A bias that the family does without is a
/// vector of zeros, and its gradient undefined.
struct LayerParameters {
  at::Tensor qkv_weight;  ///< [3*hidden, hidden]: query, key, value
  at::Tensor qkv_bias;    ///< [3*hidden]
  at::Tensor attention_weight, attention_bias;
  ops::LayerNormParameters attention_norm;  ///< behind attention's sum
  at::Tensor intermediate_weight;           ///< [intermediate, hidden], with a gate [2*intermediate, hidden]
  at::Tensor intermediate_bias;
  at::Tensor output_weight, output_bias;
  ops::LayerNormParameters output_norm;  ///< behind the sum of the feed-forward part
};

/// Returns a vector of zeros, as long as the longest bias, in place of biases that the family does without.
at::Tensor zeros_for_biases(const EncoderConfig& config, const at::TensorOptions& options);

EmbeddingParameters embedding_values(const EncoderConfig& config, const ParameterStore& parameters,
                                     const at::Tensor& zeros);
EmbeddingParameters embedding_gradients(const EncoderConfig& config, ParameterStore& parameters);
LayerParameters layer_values(const EncoderConfig& config, const ParameterStore& parameters, std::size_t layer,
                             const at::Tensor& zeros);
LayerParameters layer_gradients(const EncoderConfig& config, ParameterStore& parameters, std::size_t layer);
/// Returns the first element of the layer's parameters, and so of their gradients, among all of the model.
std::int64_t first_parameter_of(const EncoderConfig& config, const ParameterStore& parameters, std::size_t layer);

}  // namespace gausscse
