#include "model/encoder/encoder_layer.hpp"

#include <ATen/ops/index_select.h>

#include "base/error.hpp"
#include "model/kernels/gpu_attention.hpp"

namespace gausscse {

namespace {

/// Returns views of a layer's values or gradients; `joined(name, rows, columns)` makes one.
template <typename Joined>
LayerParameters layer_views(const EncoderConfig& config, const std::string& prefix, const Joined& joined) {
  const std::int64_t hidden = config.hidden_size, wide = config.intermediate_size;
  LayerParameters views;
  views.qkv_weight = joined(prefix + "attention.self.query.weight", 3 * hidden, hidden);
  views.qkv_bias = joined(prefix + "attention.self.query.bias", 3 * hidden, 0);
  views.attention_weight = joined(prefix + "attention.output.dense.weight", hidden, hidden);
  views.attention_bias = joined(prefix + "attention.output.dense.bias", hidden, 0);
  views.attention_norm = {joined(prefix + "attention.output.LayerNorm.weight", hidden, 0),
                          joined(prefix + "attention.output.LayerNorm.bias", hidden, 0)};
  views.intermediate_weight = joined(prefix + "intermediate.dense.weight", wide, hidden);
  views.intermediate_bias = joined(prefix + "intermediate.dense.bias", wide, 0);
  views.output_weight = joined(prefix + "output.dense.weight", hidden, wide);
  views.output_bias = joined(prefix + "output.dense.bias", hidden, 0);
  views.output_norm = {joined(prefix + "output.LayerNorm.weight", hidden, 0),
                       joined(prefix + "output.LayerNorm.bias", hidden, 0)};
  return views;
}

/// Returns the queries' part of [query, key, value] rows or columns, and the rest.
at::Tensor query_part(const at::Tensor& qkv, std::int64_t dimension) {
  return qkv.narrow(dimension, 0, qkv.size(dimension) / 3);
}
at::Tensor key_value_part(const at::Tensor& qkv, std::int64_t dimension) {
  const std::int64_t third = qkv.size(dimension) / 3;
  return qkv.narrow(dimension, third, 2 * third);
}

}  // namespace

std::int64_t LayerActivations::bytes() const {
  return bytes_of({&qkv_memory, &context_memory, &statistics_memory, &intermediate_memory, &attended_memory,
                   &attended_factor_memory, &output_memory, &output_factor_memory, &attention_normalized,
                   &attention_inverse, &output_normalized, &output_inverse});
}

std::int64_t LayerScratch::bytes() const {
  return bytes_of({&first_rows, &first_factors, &grad_hidden, &grad_attended, &activation, &product, &grad_product,
                   &grad_addend, &grad_context, &grad_wide, &grad_qkv});
}

HiddenStates hidden_states(const Matmuls& products, ReusedMatrix& values, ReusedMatrix& factor, std::int64_t rows,
                           std::int64_t hidden, const at::TensorOptions& options) {
  HiddenStates states{values.get(rows, hidden, options), {}};
  states.factor = options.dtype() == products.product_type()
                      ? states.values
                      : factor.get(rows, hidden, options.dtype(products.product_type()));
  return states;
}

EncoderLayer::EncoderLayer(const EncoderConfig& config, const ParameterStore& parameters, std::size_t index)
    : config_(config),
      prefix_(concat("encoder.layer.", index, ".")),
      first_parameter_(parameters.offset(parameters.index_of(prefix_ + "attention.self.query.weight"))),
      values_(layer_views(config, prefix_,
                          [&](const std::string& name, std::int64_t rows, std::int64_t columns) {
                            return parameters.joined_value(name, rows, columns);
                          })),
      options_(parameters.values().options()) {}

ops::Rows EncoderLayer::output_rows(const Call& call) const {
  if (!call.first_tokens) return ops::token_rows(call.batch);
  return {call.batch.samples, call.batch.positions.index_select(0, call.batch.first_tokens),
          call.batch.sentence_shards()};
}

HiddenStates EncoderLayer::forward(const HiddenStates& input, const Call& call, bool keep,
                                   LayerActivations& activations, Matmuls& products, LayerScratch& scratch) const {
  const std::int64_t hidden = config_.hidden_size, tokens = input.values.size(0);
  const std::int64_t rows = call.first_tokens ? call.batch.sentences() : tokens;
  const ops::Rows identity = output_rows(call);
  const ops::RowShards token_shards = call.batch.token_shards();
  const at::TensorOptions product_options = options_.dtype(products.product_type());
  activations.input = input;
  activations.qkv = activations.qkv_memory.get(tokens, 3 * hidden, product_options);
  const Matmuls::Factor input_factor = products.prepare(input.factor, token_shards, 0);
  at::Tensor product = scratch.product.get(rows, hidden, product_options);
  at::Tensor residual = input.values;
  if (call.first_tokens) {
    products.forward(input_factor, key_value_part(values_.qkv_weight, 0), key_value_part(activations.qkv, 1));
    residual = scratch.first_rows.get(rows, hidden, options_);
    at::index_select_out(residual, input.values, 0, call.batch.first_tokens);
    at::Tensor first_factors = residual;
    if (product_options.dtype() != options_.dtype()) {
      first_factors = scratch.first_factors.get(rows, hidden, product_options);
      at::index_select_out(first_factors, input.factor, 0, call.batch.first_tokens);
    }
    products.forward(products.prepare(first_factors, identity.shards, 0), query_part(values_.qkv_weight, 0), product);
    query_part(activations.qkv, 1).index_copy_(0, call.batch.first_tokens, product);
  } else {
    products.forward(input_factor, values_.qkv_weight, activations.qkv);
  }

  activations.attention = {activations.context_memory.get(rows, hidden, product_options), {}};
  if (keep && ops::needs_attention_statistics(call.batch, config_.heads, activations.qkv))
    activations.attention.statistics =
        activations.statistics_memory.get(rows, config_.heads * kernels::attention_statistics, options_);
  ops::attention(call.batch, {config_.heads, call.first_tokens, call.dropout.probabilities}, activations.qkv,
                 values_.qkv_bias, call.relative_position, activations.attention);

  products.forward(products.prepare(activations.attention.context, identity.shards, 0), values_.attention_weight,
                   product);
  activations.attended =
      hidden_states(products, activations.attended_memory, activations.attended_factor_memory, rows, hidden, options_);
  activations.attention_state = activations.output_state = {};
  if (keep) {
    activations.attention_state = {activations.attention_normalized.get(rows, hidden, options_),
                                   activations.attention_inverse.get(rows, 1, options_)};
    activations.output_state = {activations.output_normalized.get(rows, hidden, options_),
                                activations.output_inverse.get(rows, 1, options_)};
  }
  const HiddenStates& attended = activations.attended;
  ops::add_layer_norm(product, values_.attention_bias, residual, values_.attention_norm, config_.layer_norm_eps,
                      {call.dropout.attention, {}}, identity, attended.values, attended.factor,
                      activations.attention_state);

  activations.intermediate = activations.intermediate_memory.get(rows, config_.intermediate_size, product_options);
  at::Tensor activation = scratch.activation.get(rows, config_.intermediate_size, product_options);
  products.forward_with_gelu(products.prepare(attended.factor, identity.shards, 0), values_.intermediate_weight,
                             values_.intermediate_bias, activations.intermediate, activation);
  products.forward(products.prepare(activation, identity.shards, 0), values_.output_weight, product);
  HiddenStates output =
      hidden_states(products, activations.output_memory, activations.output_factor_memory, rows, hidden, options_);
  ops::add_layer_norm(product, values_.output_bias, attended.values, values_.output_norm, config_.layer_norm_eps,
                      {call.dropout.output, {}}, identity, output.values, output.factor, activations.output_state);
  return output;
}

HiddenGradient EncoderLayer::backward(const HiddenGradient& grad, const LayerActivations& activations,
                                      ParameterStore& parameters, Matmuls& products, const Call& call,
                                      LayerScratch& scratch) const {
  const std::int64_t hidden = config_.hidden_size, tokens = activations.input.values.size(0), rows = grad.grad.size(0);
  const ops::Rows identity = output_rows(call);
  const ops::RowShards token_shards = call.batch.token_shards();
  const at::TensorOptions product_options = options_.dtype(products.product_type());
  const LayerParameters gradients = layer_views(
      config_, prefix_,
      [&](const std::string& name, std::int64_t r, std::int64_t c) { return parameters.joined_gradient(name, r, c); });

  // Feed-forward part.
  const at::Tensor grad_attended = scratch.grad_attended.get(rows, hidden, options_);
  const at::Tensor grad_product = scratch.grad_product.get(rows, hidden, product_options);
  ops::add_layer_norm_backward(grad.grad, grad.addend, activations.output_state, values_.output_norm.gamma,
                               {call.dropout.output, {}}, identity, grad_attended, grad_product, gradients.output_norm,
                               gradients.output_bias);
  const at::Tensor grad_intermediate = scratch.grad_wide.get(rows, config_.intermediate_size, product_options);
  const at::Tensor activation = scratch.activation.get(rows, config_.intermediate_size, product_options);
  Matmuls::Factor grad_factor = products.prepare(grad_product, identity.shards, 0);
  products.input_gradient(grad_factor, values_.output_weight, grad_intermediate);
  ops::gelu_backward(grad_intermediate, activations.intermediate, values_.intermediate_bias, identity.shards,
                     gradients.intermediate_bias, activation);
  products.weight_gradient(grad_factor, products.prepare(activation, identity.shards, 1), gradients.output_weight);
  grad_factor = products.prepare(grad_intermediate, identity.shards, 0);
  products.weight_gradient(grad_factor, products.prepare(activations.attended.factor, identity.shards, 1),
                           gradients.intermediate_weight);
  at::Tensor grad_addend = scratch.grad_addend.get(rows, hidden, product_options);
  products.input_gradient(grad_factor, values_.intermediate_weight, grad_addend);

  // Attention part.
  at::Tensor grad_rows = scratch.first_rows.get(rows, hidden, options_);
  ops::add_layer_norm_backward(grad_attended, grad_addend, activations.attention_state, values_.attention_norm.gamma,
                               {call.dropout.attention, {}}, identity, grad_rows, grad_product,
                               gradients.attention_norm, gradients.attention_bias);
  grad_factor = products.prepare(grad_product, identity.shards, 0);
  products.weight_gradient(grad_factor, products.prepare(activations.attention.context, identity.shards, 1),
                           gradients.attention_weight);
  const at::Tensor grad_context = scratch.grad_context.get(rows, hidden, product_options);
  products.input_gradient(grad_factor, values_.attention_weight, grad_context);
  const at::Tensor grad_qkv = scratch.grad_qkv.get(tokens, 3 * hidden, product_options);
  ops::attention_backward(call.batch, {config_.heads, call.first_tokens, call.dropout.probabilities}, activations.qkv,
                          values_.qkv_bias, call.relative_position, activations.attention, grad_context, grad_qkv);

  grad_addend = scratch.grad_addend.get(tokens, hidden, product_options);
  if (!call.first_tokens) {
    grad_factor = products.prepare(grad_qkv, token_shards, 0);
    products.weight_gradient(grad_factor, products.prepare(activations.input.factor, token_shards, 1),
                             gradients.qkv_weight, gradients.qkv_bias);
    if (!call.has_layer_before) return {};
    products.input_gradient(grad_factor, values_.qkv_weight, grad_addend);
    return {grad_rows, grad_addend};
  }

  const at::Tensor& first_tokens = call.batch.first_tokens;
  ops::add_column_sums(grad_qkv, token_shards, gradients.qkv_bias);
  grad_factor = products.prepare(key_value_part(grad_qkv, 1), token_shards, 0);
  products.weight_gradient(grad_factor, products.prepare(activations.input.factor, token_shards, 1),
                           key_value_part(gradients.qkv_weight, 0));
  if (call.has_layer_before) products.input_gradient(grad_factor, key_value_part(values_.qkv_weight, 0), grad_addend);
  const at::Tensor grad_queries = query_part(grad_qkv, 1).index_select(0, first_tokens);
  grad_factor = products.prepare(grad_queries, identity.shards, 0);
  products.weight_gradient(grad_factor,
                           products.prepare(activations.input.factor.index_select(0, first_tokens), identity.shards, 1),
                           query_part(gradients.qkv_weight, 0));
  if (!call.has_layer_before) return {};
  const at::Tensor grad_of_queries = scratch.product.get(rows, hidden, product_options);
  products.input_gradient(grad_factor, query_part(values_.qkv_weight, 0), grad_of_queries);
  at::Tensor grad_input = scratch.grad_hidden.get(tokens, hidden, options_);
  grad_input.zero_();
  grad_input.index_copy_(0, first_tokens, grad_rows.add_(grad_of_queries));
  return {grad_input, grad_addend};
}

}  // namespace gausscse
