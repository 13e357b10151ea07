#include "model/encoder/encoder_layer.hpp"

#include <ATen/ops/index_select.h>

namespace gausscse {

std::int64_t LayerActivations::bytes() const {
  return bytes_of({&attention.qkv_memory, &attention.context_memory, &attention.statistics_memory,
                   &feed_forward.intermediate_memory, &attended_memory.values, &attended_memory.factor,
                   &attended_memory.residual, &output_memory.values, &output_memory.factor, &output_memory.residual,
                   &attention_normalized, &attention_inverse, &output_normalized, &output_inverse});
}

std::int64_t LayerScratch::bytes() const {
  return bytes_of({&first_rows, &first_factors, &grad_hidden, &grad_attended, &activation, &product, &grad_product,
                   &grad_addend, &grad_context, &grad_activation, &grad_wide, &grad_qkv});
}

HiddenStates HiddenStatesMemory::get(const Matmuls& products, std::int64_t rows, std::int64_t hidden,
                                     const at::TensorOptions& options, bool has_own_residual) {
  HiddenStates states{values.get(rows, hidden, options), {}, {}};
  states.factor = options.dtype() == products.product_type()
                      ? states.values
                      : factor.get(rows, hidden, options.dtype(products.product_type()));
  states.residual = has_own_residual ? residual.get(rows, hidden, options) : states.values;
  return states;
}

EncoderLayer::EncoderLayer(const EncoderConfig& config, const ParameterStore& parameters, std::size_t index,
                           const at::Tensor& zeros)
    : config_(config),
      index_(index),
      keeps_sums_(config.parts().norm_first && static_cast<std::int64_t>(index) + 1 < config.layers),
      first_parameter_(first_parameter_of(config, parameters, index)),
      values_(layer_values(config, parameters, index, zeros)),
      attention_(config, values_),
      feed_forward_(config, values_),
      options_(parameters.values().options()) {}

ops::Rows EncoderLayer::output_rows(const LayerCall& call) const {
  if (!call.first_tokens) return ops::token_rows(call.batch);
  return {call.batch.samples, call.batch.positions.index_select(0, call.batch.first_tokens),
          call.batch.sentence_shards()};
}

HiddenStates EncoderLayer::forward(const HiddenStates& input, const LayerCall& call, bool keep,
                                   LayerActivations& activations, Matmuls& products, LayerScratch& scratch) const {
  const std::int64_t hidden = config_.hidden_size, tokens = input.values.size(0);
  const std::int64_t rows = call.first_tokens ? call.batch.sentences() : tokens;
  const ops::Rows identity = output_rows(call);
  activations.input = input;
  const at::Tensor product = scratch.product.get(rows, hidden, options_.dtype(products.product_type()));
  activations.attention_state = activations.output_state = {};
  if (keep) {
    activations.attention_state = {activations.attention_normalized.get(rows, hidden, options_),
                                   activations.attention_inverse.get(rows, 1, options_)};
    activations.output_state = {activations.output_normalized.get(rows, hidden, options_),
                                activations.output_inverse.get(rows, 1, options_)};
  }
  const auto add_norm = [&](const at::Tensor& bias, const at::Tensor& residual, const ops::LayerNormParameters& norm,
                            const DropoutSite& dropout, const HiddenStates& to, const ops::LayerNormState& state) {
    const at::Tensor sum = to.residual.is_same(to.values) ? at::Tensor() : to.residual;
    ops::add_layer_norm(product, bias, residual, norm, config_.layer_norm_eps, {dropout, {}}, identity,
                        {to.values, to.factor, sum}, state);
  };

  at::Tensor residual = input.residual, first_tokens;
  if (call.first_tokens) {
    residual = scratch.first_rows.get(rows, hidden, options_);
    at::index_select_out(residual, input.residual, 0, call.batch.first_tokens);
    first_tokens = residual;
    if (!input.factor.is_same(input.residual)) {
      first_tokens = scratch.first_factors.get(rows, hidden, product.options());
      at::index_select_out(first_tokens, input.factor, 0, call.batch.first_tokens);
    }
  }
  attention_.forward(input.factor, first_tokens, call, keep, activations.attention, products, product);
  activations.attended = activations.attended_memory.get(products, rows, hidden, options_, config_.parts().norm_first);
  const HiddenStates& attended = activations.attended;
  add_norm(values_.attention_bias, residual, values_.attention_norm, call.dropout.attention, attended,
           activations.attention_state);

  feed_forward_.forward(attended.factor, identity.shards, activations.feed_forward, products, scratch, product);
  HiddenStates output = activations.output_memory.get(products, rows, hidden, options_, keeps_sums_);
  add_norm(values_.output_bias, attended.residual, values_.output_norm, call.dropout.output, output,
           activations.output_state);
  return output;
}

HiddenGradient EncoderLayer::backward(const HiddenGradient& grad, const LayerActivations& activations,
                                      ParameterStore& parameters, Matmuls& products, const LayerCall& call,
                                      LayerScratch& scratch) const {
  const std::int64_t hidden = config_.hidden_size, tokens = activations.input.values.size(0), rows = grad.grad.size(0);
  const ops::Rows identity = output_rows(call);
  const LayerParameters gradients = layer_gradients(config_, parameters, index_);
  const bool norm_first = config_.parts().norm_first;

  const at::Tensor grad_attended = scratch.grad_attended.get(rows, hidden, options_);
  const at::Tensor grad_product = scratch.grad_product.get(rows, hidden, options_.dtype(products.product_type()));
  ops::add_layer_norm_backward({grad.grad, grad.addend, keeps_sums_}, activations.output_state,
                               values_.output_norm.gamma, {call.dropout.output, {}}, identity, grad_attended,
                               grad_product, gradients.output_norm, gradients.output_bias);
  const at::Tensor grad_values = feed_forward_.backward(grad_product, activations.attended.factor, identity.shards,
                                                        activations.feed_forward, gradients, products, scratch);

  at::Tensor grad_rows = scratch.first_rows.get(rows, hidden, options_);
  ops::add_layer_norm_backward({grad_attended, grad_values, norm_first}, activations.attention_state,
                               values_.attention_norm.gamma, {call.dropout.attention, {}}, identity, grad_rows,
                               grad_product, gradients.attention_norm, gradients.attention_bias);
  AttentionPart::InputGradient of_input = attention_.backward(grad_product, activations.input.factor, call,
                                                              activations.attention, gradients, products, scratch);
  if (!call.has_layer_before) return {};
  if (!call.first_tokens) return {grad_rows, of_input.of_tokens};
  const at::Tensor& first_tokens = call.batch.first_tokens;
  if (norm_first)
    of_input.of_tokens.index_add_(0, first_tokens, of_input.of_first_tokens);
  else
    grad_rows.add_(of_input.of_first_tokens);
  at::Tensor grad_residual = scratch.grad_hidden.get(tokens, hidden, options_);
  grad_residual.zero_();
  grad_residual.index_copy_(0, first_tokens, grad_rows);
  return {grad_residual, of_input.of_tokens};
}

}  // namespace gausscse
