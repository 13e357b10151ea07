#include "model/head/gaussian_head.hpp"

#include "model/ops/ops.hpp"

namespace gausscse {

std::vector<ParameterSpec> gaussian_head_parameters(std::int64_t hidden) {
  return {{"head.mean.weight", {hidden, hidden}},
          {"head.log_var.weight", {hidden, hidden}},
          {"head.mean.bias", {hidden}},
          {"head.log_var.bias", {hidden}}};
}

GaussianHead::GaussianHead(std::int64_t hidden, MeanActivation activation, ParameterStore& parameters,
                           MatrixProducts& products)
    : hidden_(hidden),
      activation_(activation),
      parameters_(parameters),
      products_(products),
      weight_(parameters.joined_value("head.mean.weight", 2 * hidden, hidden)),
      bias_(parameters.joined_value("head.mean.bias", 2 * hidden, 0)) {}

at::Tensor GaussianHead::forward(const at::Tensor& h, kernels::RowShards shards, HeadActivations& activations) {
  activations.input = h;
  at::Tensor& output = activations.output = activations.output_memory.get(h.size(0), 2 * hidden_, h.scalar_type());
  products_.forward(products_.prepare(h, shards, 0), weight_, output, bias_);
  if (activation_ == MeanActivation::tanh) output.narrow(1, 0, hidden_).tanh_();
  return output;
}

at::Tensor GaussianHead::backward(at::Tensor grad, kernels::RowShards shards, const HeadActivations& activations) {
  if (activation_ == MeanActivation::tanh) {
    const at::Tensor mean = activations.output.narrow(1, 0, hidden_);
    grad.narrow(1, 0, hidden_).mul_(mean.square().neg_().add_(1));
  }
  const MatrixProducts::Factor factor = products_.prepare(grad, shards, 0);
  products_.weight_gradient(factor, products_.prepare(activations.input, shards, 1),
                            parameters_.joined_gradient("head.mean.weight", 2 * hidden_, hidden_));
  ops::add_column_sums(grad, shards, parameters_.joined_gradient("head.mean.bias", 2 * hidden_, 0));
  at::Tensor grad_input = grad_memory_.get(grad.size(0), hidden_, grad.scalar_type());
  products_.input_gradient(factor, weight_, grad_input);
  return grad_input;
}

}  // namespace gausscse
