#include "model/head/linear_head.hpp"

#include "model/ops/ops.hpp"

namespace gausscse {

std::vector<ParameterSpec> linear_head_parameters(const LinearHeadLayers& layers, std::int64_t hidden) {
  std::vector<ParameterSpec> specs;
  for (const std::string& name : layers.names) specs.push_back({"head." + name + ".weight", {hidden, hidden}});
  for (const std::string& name : layers.names) specs.push_back({"head." + name + ".bias", {hidden}});
  return specs;
}

LinearHead::LinearHead(const LinearHeadLayers& layers, std::int64_t hidden, ParameterStore& parameters,
                       MatrixProducts& products)
    : hidden_(hidden),
      width_(static_cast<std::int64_t>(layers.names.size()) * hidden),
      columns_with_tanh_(layers.layers_with_tanh * hidden),
      first_weight_("head." + layers.names.front() + ".weight"),
      first_bias_("head." + layers.names.front() + ".bias"),
      parameters_(parameters),
      products_(products),
      weight_(parameters.joined_value(first_weight_, width_, hidden)),
      bias_(parameters.joined_value(first_bias_, width_, 0)) {}

at::Tensor LinearHead::forward(const at::Tensor& h, kernels::RowShards shards, HeadActivations& activations) {
  activations.input = h;
  at::Tensor& output = activations.output = activations.output_memory.get(h.size(0), width_, h.options());
  products_.forward(products_.prepare(h, shards, 0), weight_, output, bias_);
  if (columns_with_tanh_ > 0) output.narrow(1, 0, columns_with_tanh_).tanh_();
  return output;
}

at::Tensor LinearHead::backward(at::Tensor grad, kernels::RowShards shards, const HeadActivations& activations) {
  if (columns_with_tanh_ > 0) {
    const at::Tensor tanh = activations.output.narrow(1, 0, columns_with_tanh_);
    grad.narrow(1, 0, columns_with_tanh_).mul_(tanh.square().neg_().add_(1));
  }
  const MatrixProducts::Factor factor = products_.prepare(grad, shards, 0);
  products_.weight_gradient(factor, products_.prepare(activations.input, shards, 1),
                            parameters_.joined_gradient(first_weight_, width_, hidden_));
  ops::add_column_sums(grad, shards, parameters_.joined_gradient(first_bias_, width_, 0));
  at::Tensor grad_input = grad_memory_.get(grad.size(0), hidden_, grad.options());
  products_.input_gradient(factor, weight_, grad_input);
  return grad_input;
}

}  // namespace gausscse
