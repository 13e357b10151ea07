#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "model/encoder/matrix_products.hpp"
#include "model/encoder/parameter_store.hpp"
#include "model/encoder/workspace.hpp"

namespace gausscse {

/// How the mean comes out of its linear layer: `tanh` in the released program, `linear` in the papers' text.
enum class MeanActivation { tanh, linear };

/// Parameters of a head on vectors of width `hidden`: head.mean.weight, head.log_var.weight [hidden, hidden],
/// head.mean.bias, head.log_var.bias [hidden].
std::vector<ParameterSpec> gaussian_head_parameters(std::int64_t hidden);

/// Two linear layers: h -> [mean | log_var].
class GaussianHead {
 public:
  /// `parameters` holds `gaussian_head_parameters(hidden)`; it and `products` must outlive the head.
  GaussianHead(std::int64_t hidden, MeanActivation activation, ParameterStore& parameters, MatrixProducts& products);

  std::int64_t dimension() const { return hidden_; }
  /// h [n, hidden] -> [n, 2*hidden], mean then log-variance. Valid until the next call.
  at::Tensor forward(const at::Tensor& h);
  /// Adds to the parameters' gradients and returns the gradient by h; for the last `forward`. `grad` is overwritten.
  at::Tensor backward(at::Tensor grad);

 private:
  std::int64_t hidden_;
  MeanActivation activation_;
  ParameterStore& parameters_;
  MatrixProducts& products_;
  at::Tensor weight_, bias_, input_, output_;
  ReusedMatrix output_memory_, grad_memory_;
};

}  // namespace gausscse
