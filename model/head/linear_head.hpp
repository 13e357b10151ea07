#pragma once

#include <string>

#include "model/head/head.hpp"

namespace gausscse {

/// Linear layers next to each other, each from vectors of width `hidden` to as many outputs.
struct LinearHeadLayers {
  std::vector<std::string> names;  ///< as in "mean" for the parameters head.mean.weight and head.mean.bias
  std::int64_t layers_with_tanh;   ///< number of first layers with a tanh; the others' outputs stay as they are
};

/// Returns the parameters of these layers: all weights [hidden, hidden], then all biases [hidden].
std::vector<ParameterSpec> linear_head_parameters(const LinearHeadLayers& layers, std::int64_t hidden);

/// Linear layers, whose outputs stand next to each other in their order. They are computed as one layer.
class LinearHead : public Head {
 public:
  /// Makes the head. `parameters` holds `linear_head_parameters(layers, hidden)`; it and `products` must outlive the
  /// head.
  LinearHead(const LinearHeadLayers& layers, std::int64_t hidden, ParameterStore& parameters, MatrixProducts& products);

  std::int64_t width() const override { return width_; }
  at::Tensor forward(const at::Tensor& h, kernels::RowShards shards, HeadActivations& activations) override;
  at::Tensor backward(at::Tensor grad, kernels::RowShards shards, const HeadActivations& activations) override;

 private:
  std::int64_t hidden_;
  std::int64_t width_;
  std::int64_t columns_with_tanh_;
  std::string first_weight_, first_bias_;
  ParameterStore& parameters_;
  MatrixProducts& products_;
  at::Tensor weight_, bias_;
  ReusedMatrix grad_memory_;
};

}  // namespace gausscse
