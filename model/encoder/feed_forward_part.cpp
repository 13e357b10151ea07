#include "model/encoder/feed_forward_part.hpp"

#include "base/error.hpp"

namespace gausscse {

FeedForwardPart::FeedForwardPart(const EncoderConfig& config, const LayerParameters& values)
    : config_(config), values_(values), options_(values.output_weight.options()) {
  GAUSSCSE_CHECK(!config.parts().gate || !config.parts().linear_biases, "a gate multiplies what has no bias");
}

void FeedForwardPart::forward(const at::Tensor& input, const ops::RowShards& shards,
                              FeedForwardActivations& activations, Matmuls& products, LayerScratch& scratch,
                              at::Tensor product) const {
  const std::int64_t rows = input.size(0), inner = config_.intermediate_size;
  const at::TensorOptions product_options = options_.dtype(products.product_type());
  activations.intermediate =
      activations.intermediate_memory.get(rows, values_.intermediate_weight.size(0), product_options);
  const at::Tensor activation = scratch.activation.get(rows, inner, product_options);
  const Matmuls::Factor factor = products.prepare(input, shards, 0);
  if (const auto& gate = config_.parts().gate) {
    products.forward(factor, values_.intermediate_weight, activations.intermediate);
    ops::gate(*gate, activations.intermediate, activation);
  } else {
    products.forward_with_gelu(factor, values_.intermediate_weight, values_.intermediate_bias, activations.intermediate,
                               activation);
  }
  products.forward(products.prepare(activation, shards, 0), values_.output_weight, product);
}

at::Tensor FeedForwardPart::backward(const at::Tensor& grad_product, const at::Tensor& input,
                                     const ops::RowShards& shards, const FeedForwardActivations& activations,
                                     const LayerParameters& gradients, Matmuls& products, LayerScratch& scratch) const {
  const std::int64_t rows = input.size(0), inner = config_.intermediate_size;
  const at::TensorOptions product_options = options_.dtype(products.product_type());
  at::Tensor grad_intermediate = scratch.grad_wide.get(rows, values_.intermediate_weight.size(0), product_options);
  const at::Tensor activation = scratch.activation.get(rows, inner, product_options);
  Matmuls::Factor grad_factor = products.prepare(grad_product, shards, 0);
  if (const auto& gate = config_.parts().gate) {
    const at::Tensor grad_activation = scratch.grad_activation.get(rows, inner, product_options);
    products.input_gradient(grad_factor, values_.output_weight, grad_activation);
    ops::gate_backward(*gate, grad_activation, activations.intermediate, grad_intermediate, activation);
  } else {
    products.input_gradient(grad_factor, values_.output_weight, grad_intermediate);
    ops::gelu_backward(grad_intermediate, activations.intermediate, values_.intermediate_bias, shards,
                       gradients.intermediate_bias, activation);
  }
  products.weight_gradient(grad_factor, products.prepare(activation, shards, 1), gradients.output_weight);
  grad_factor = products.prepare(grad_intermediate, shards, 0);
  products.weight_gradient(grad_factor, products.prepare(input, shards, 1), gradients.intermediate_weight);
  const at::Tensor grad_input = scratch.grad_addend.get(rows, config_.hidden_size, product_options);
  products.input_gradient(grad_factor, values_.intermediate_weight, grad_input);
  return grad_input;
}

}  // namespace gausscse
