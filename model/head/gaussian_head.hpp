#pragma once

#include "model/head/head.hpp"

namespace gausscse {

/// Parameters of a head on vectors of width `hidden`: head.mean.weight, head.log_var.weight [hidden, hidden],
/// head.mean.bias, head.log_var.bias [hidden].
std::vector<ParameterSpec> gaussian_head_parameters(std::int64_t hidden);

/// Two linear layers: h -> [mean | log_var].
class GaussianHead : public Head {
 public:
  /// `parameters` holds `gaussian_head_parameters(hidden)`; it and `products` must outlive the head.
  GaussianHead(std::int64_t hidden, MeanActivation activation, ParameterStore& parameters, MatrixProducts& products);

  /// Of mean and log-variance, which stand beside each other in this order.
  std::int64_t width() const override { return 2 * hidden_; }
  at::Tensor forward(const at::Tensor& h, kernels::RowShards shards, HeadActivations& activations) override;
  at::Tensor backward(at::Tensor grad, kernels::RowShards shards, const HeadActivations& activations) override;

 private:
  std::int64_t hidden_;
  MeanActivation activation_;
  ParameterStore& parameters_;
  MatrixProducts& products_;
  at::Tensor weight_, bias_;
  ReusedMatrix grad_memory_;
};

}  // namespace gausscse
