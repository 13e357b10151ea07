#include "model/encoder/layer_parameters.hpp"

#include <ATen/ops/zeros.h>

#include <algorithm>

#include "base/error.hpp"
#include "model/weights/encoder_family.hpp"

namespace gausscse {

namespace {

const TensorNames tensor_names;

std::string prefix_of(std::size_t layer) {
  return concat(tensor_names.layers, layer, ".");
}

const char* first_of_attention(const EncoderConfig& config) {
  return config.parts().joins_qkv ? tensor_names.qkv : tensor_names.query;
}

/// Views of parameters' values.
struct ValueViews {
  const ParameterStore& parameters;
  const at::Tensor& zeros;

  at::Tensor joined(const std::string& name, std::int64_t rows, std::int64_t columns) const {
    return parameters.joined_value(name, rows, columns);
  }
  at::Tensor table(const std::string& name) const { return parameters.value(name); }
  at::Tensor absent(std::int64_t size) const { return zeros.narrow(0, 0, size); }
};

/// Views of their gradients.
struct GradientViews {
  ParameterStore& parameters;

  at::Tensor joined(const std::string& name, std::int64_t rows, std::int64_t columns) const {
    return parameters.joined_gradient(name, rows, columns);
  }
  at::Tensor table(const std::string& name) const { return parameters.gradient(name); }
  at::Tensor absent(std::int64_t) const { return {}; }
};

template <typename Views>
at::Tensor bias(const Views& views, bool is_there, const std::string& name, std::int64_t size) {
  return is_there ? views.joined(name + ".bias", size, 0) : views.absent(size);
}

template <typename Views>
ops::LayerNormParameters norm(const EncoderConfig& config, const Views& views, const std::string& name) {
  const std::int64_t hidden = config.hidden_size;
  return {views.joined(name + ".weight", hidden, 0), bias(views, config.parts().norm_biases, name, hidden)};
}

template <typename Views>
EmbeddingParameters of_embeddings(const EncoderConfig& config, const Views& views) {
  EmbeddingParameters of{views.table(concat(tensor_names.word_embeddings, ".weight")),
                         {},
                         {},
                         norm(config, views, tensor_names.embedding_norm),
                         {}};
  if (config.has_position_table()) of.position = views.table("embeddings.position_embeddings.weight");
  if (config.type_vocabulary_size > 0) of.token_type = views.table("embeddings.token_type_embeddings.weight");
  if (config.relative_position_buckets > 0)
    of.relative_position = views.table("encoder.relative_attention_bias.weight");
  return of;
}

template <typename Views>
LayerParameters of_layer(const EncoderConfig& config, const Views& views, std::size_t layer) {
  const std::int64_t hidden = config.hidden_size, inner = config.intermediate_size;
  const std::int64_t wide = config.parts().gate ? 2 * inner : inner;
  const bool has_biases = config.parts().linear_biases;
  const std::string prefix = prefix_of(layer), qkv = prefix + first_of_attention(config);
  const auto weight = [&](const char* name, std::int64_t outputs, std::int64_t inputs) {
    return views.joined(concat(prefix, name, ".weight"), outputs, inputs);
  };
  const auto bias_of = [&](const std::string& name, std::int64_t outputs) {
    return bias(views, has_biases, name, outputs);
  };
  LayerParameters of;
  of.qkv_weight = views.joined(qkv + ".weight", 3 * hidden, hidden);
  of.qkv_bias = bias_of(qkv, 3 * hidden);
  of.attention_weight = weight(tensor_names.attention_output, hidden, hidden);
  of.attention_bias = bias_of(prefix + tensor_names.attention_output, hidden);
  of.attention_norm = norm(config, views, prefix + tensor_names.attention_norm);
  of.intermediate_weight = weight(tensor_names.intermediate, wide, hidden);
  of.intermediate_bias = bias_of(prefix + tensor_names.intermediate, wide);
  of.output_weight = weight(tensor_names.output, hidden, inner);
  of.output_bias = bias_of(prefix + tensor_names.output, hidden);
  of.output_norm = norm(config, views, prefix + tensor_names.output_norm);
  return of;
}

}  // namespace

at::Tensor zeros_for_biases(const EncoderConfig& config, const at::TensorOptions& options) {
  return at::zeros({std::max(3 * config.hidden_size, 2 * config.intermediate_size)}, options);
}

EmbeddingParameters embedding_values(const EncoderConfig& config, const ParameterStore& parameters,
                                     const at::Tensor& zeros) {
  return of_embeddings(config, ValueViews{parameters, zeros});
}

EmbeddingParameters embedding_gradients(const EncoderConfig& config, ParameterStore& parameters) {
  return of_embeddings(config, GradientViews{parameters});
}

LayerParameters layer_values(const EncoderConfig& config, const ParameterStore& parameters, std::size_t layer,
                             const at::Tensor& zeros) {
  return of_layer(config, ValueViews{parameters, zeros}, layer);
}

LayerParameters layer_gradients(const EncoderConfig& config, ParameterStore& parameters, std::size_t layer) {
  return of_layer(config, GradientViews{parameters}, layer);
}

std::int64_t first_parameter_of(const EncoderConfig& config, const ParameterStore& parameters, std::size_t layer) {
  return parameters.offset(parameters.index_of(concat(prefix_of(layer), first_of_attention(config), ".weight")));
}

}  // namespace gausscse
