#include "model/encoder/attention_part.hpp"

#include <ATen/ops/index_select.h>

#include "base/error.hpp"
#include "model/kernels/gpu_attention.hpp"

namespace gausscse {

namespace {

/// Returns the queries' part of [query, key, value] rows or columns, and the rest.
at::Tensor query_part(const at::Tensor& qkv, std::int64_t dimension) {
  return qkv.narrow(dimension, 0, qkv.size(dimension) / 3);
}
at::Tensor key_value_part(const at::Tensor& qkv, std::int64_t dimension) {
  const std::int64_t third = qkv.size(dimension) / 3;
  return qkv.narrow(dimension, third, 2 * third);
}

}  // namespace

AttentionPart::AttentionPart(const EncoderConfig& config, const LayerParameters& values)
    : config_(config), values_(values), options_(values.qkv_weight.options()) {
  GAUSSCSE_CHECK(config.has_position_table() || !config.parts().linear_biases,
                 "rotary positions turn queries and keys without a bias");
}

ops::AttentionSettings AttentionPart::settings(const LayerCall& call) const {
  return {config_.heads, call.first_tokens, call.dropout.probabilities, call.positions.farthest};
}

void AttentionPart::rotate(at::Tensor qkv, const LayerCall& call, int direction) const {
  if (!call.positions.angles.defined()) return;
  const std::int64_t hidden = config_.hidden_size;
  ops::rotate(qkv, call.first_tokens ? hidden : 0, call.first_tokens ? hidden : 2 * hidden, call.positions.angles,
              call.batch, direction);
}

void AttentionPart::forward(const at::Tensor& input, const at::Tensor& first_tokens, const LayerCall& call, bool keep,
                            AttentionActivations& activations, Matmuls& products, at::Tensor product) const {
  const std::int64_t hidden = config_.hidden_size, rows = product.size(0);
  const ops::RowShards shards = call.first_tokens ? call.batch.sentence_shards() : call.batch.token_shards();
  const at::TensorOptions product_options = options_.dtype(products.product_type());
  activations.qkv = activations.qkv_memory.get(input.size(0), 3 * hidden, product_options);
  const Matmuls::Factor factor = products.prepare(input, call.batch.token_shards(), 0);
  if (call.first_tokens) {
    products.forward(factor, key_value_part(values_.qkv_weight, 0), key_value_part(activations.qkv, 1));
    products.forward(products.prepare(first_tokens, shards, 0), query_part(values_.qkv_weight, 0), product);
    query_part(activations.qkv, 1).index_copy_(0, call.batch.first_tokens, product);
  } else {
    products.forward(factor, values_.qkv_weight, activations.qkv);
  }
  rotate(activations.qkv, call, 1);

  activations.result = {activations.context_memory.get(rows, hidden, product_options), {}};
  if (keep && ops::needs_attention_statistics(call.batch, config_.heads, activations.qkv))
    activations.result.statistics =
        activations.statistics_memory.get(rows, config_.heads * kernels::attention_statistics, options_);
  ops::attention(call.batch, settings(call), activations.qkv, values_.qkv_bias, call.positions.relative,
                 activations.result);
  products.forward(products.prepare(activations.result.context, shards, 0), values_.attention_weight, product);
}

AttentionPart::InputGradient AttentionPart::backward(const at::Tensor& grad_product, const at::Tensor& input,
                                                     const LayerCall& call, const AttentionActivations& activations,
                                                     const LayerParameters& gradients, Matmuls& products,
                                                     LayerScratch& scratch) const {
  const std::int64_t hidden = config_.hidden_size, tokens = input.size(0), rows = grad_product.size(0);
  const ops::RowShards token_shards = call.batch.token_shards();
  const ops::RowShards shards = call.first_tokens ? call.batch.sentence_shards() : token_shards;
  const at::TensorOptions product_options = options_.dtype(products.product_type());
  Matmuls::Factor grad_factor = products.prepare(grad_product, shards, 0);
  products.weight_gradient(grad_factor, products.prepare(activations.result.context, shards, 1),
                           gradients.attention_weight);
  const at::Tensor grad_context = scratch.grad_context.get(rows, hidden, product_options);
  products.input_gradient(grad_factor, values_.attention_weight, grad_context);
  const at::Tensor grad_qkv = scratch.grad_qkv.get(tokens, 3 * hidden, product_options);
  ops::attention_backward(call.batch, settings(call), activations.qkv, values_.qkv_bias, call.positions.relative,
                          activations.result, grad_context, grad_qkv);
  rotate(grad_qkv, call, -1);

  const at::Tensor of_tokens = scratch.grad_addend.get(tokens, hidden, product_options);
  if (!call.first_tokens) {
    grad_factor = products.prepare(grad_qkv, token_shards, 0);
    products.weight_gradient(grad_factor, products.prepare(input, token_shards, 1), gradients.qkv_weight,
                             gradients.qkv_bias);
    if (!call.has_layer_before) return {};
    products.input_gradient(grad_factor, values_.qkv_weight, of_tokens);
    return {of_tokens, {}};
  }

  if (gradients.qkv_bias.defined()) ops::add_column_sums(grad_qkv, token_shards, gradients.qkv_bias);
  grad_factor = products.prepare(key_value_part(grad_qkv, 1), token_shards, 0);
  products.weight_gradient(grad_factor, products.prepare(input, token_shards, 1),
                           key_value_part(gradients.qkv_weight, 0));
  if (call.has_layer_before) products.input_gradient(grad_factor, key_value_part(values_.qkv_weight, 0), of_tokens);
  const at::Tensor& first_tokens = call.batch.first_tokens;
  const at::Tensor grad_queries = query_part(grad_qkv, 1).index_select(0, first_tokens);
  grad_factor = products.prepare(grad_queries, shards, 0);
  products.weight_gradient(grad_factor, products.prepare(input.index_select(0, first_tokens), shards, 1),
                           query_part(gradients.qkv_weight, 0));
  if (!call.has_layer_before) return {};
  const at::Tensor of_first_tokens = scratch.product.get(rows, hidden, product_options);
  products.input_gradient(grad_factor, query_part(values_.qkv_weight, 0), of_first_tokens);
  return {of_tokens, of_first_tokens};
}

}  // namespace gausscse
