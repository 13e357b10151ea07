#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "model/choices.hpp"
#include "model/encoder/matrix_products.hpp"
#include "model/encoder/parameter_store.hpp"
#include "model/encoder/workspace.hpp"

namespace gausscse {

/// Parameters of a head on vectors of width `hidden`: head.mean.weight, head.log_var.weight [hidden, hidden],
/// head.mean.bias, head.log_var.bias [hidden].
std::vector<ParameterSpec> gaussian_head_parameters(std::int64_t hidden);

/// What the head's forward leaves for its backward, and the memory for it.
struct HeadActivations {
  at::Tensor input, output;
  ReusedMatrix output_memory;
};

/// Two linear layers: h -> [mean | log_var].
class GaussianHead {
 public:
  /// `parameters` holds `gaussian_head_parameters(hidden)`; it and `products` must outlive the head.
  GaussianHead(std::int64_t hidden, MeanActivation activation, ParameterStore& parameters, MatrixProducts& products);

  std::int64_t dimension() const { return hidden_; }
  /// h [n, hidden] -> [n, 2*hidden], mean then log-variance, part of `activations`. `shards` are those of the rows.
  at::Tensor forward(const at::Tensor& h, kernels::RowShards shards, HeadActivations& activations);
  /// Adds to the parameters' gradients and returns the gradient by h, valid until the next call. `grad` is overwritten.
  at::Tensor backward(at::Tensor grad, kernels::RowShards shards, const HeadActivations& activations);

 private:
  std::int64_t hidden_;
  MeanActivation activation_;
  ParameterStore& parameters_;
  MatrixProducts& products_;
  at::Tensor weight_, bias_;
  ReusedMatrix grad_memory_;
};

}  // namespace gausscse
