#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "model/batch/parameter_store.hpp"
#include "model/matmul/matmuls.hpp"
#include "model/ops/reused_matrix.hpp"

namespace gausscse {

/// Shapes of linear layers next to each other, which read the same vectors.
struct LinearLayerShapes {
  std::vector<std::string> names;     ///< as in "mean" for the parameters head.mean.weight and head.mean.bias
  std::int64_t inputs;                ///< columns of their input
  std::int64_t outputs;               ///< columns of the output of each
  std::int64_t layers_with_tanh = 0;  ///< number of first layers with a tanh; the others' outputs stay as they are

  std::int64_t width() const { return static_cast<std::int64_t>(names.size()) * outputs; }
  /// Returns their parameters: all weights [outputs, inputs], then all biases [outputs].
  std::vector<ParameterSpec> parameters() const;
};

/// Linear layers of a head, whose outputs stand next to each other in their order. They are computed as one layer.
class LinearLayers {
 public:
  /// Makes the layers. `parameters` holds `shapes.parameters()`; it and `products` must outlive them.
  LinearLayers(const LinearLayerShapes& shapes, ParameterStore& parameters, Matmuls& products);

  std::int64_t width() const { return shapes_.width(); }
  /// Computes `out` [n, width] of `x` [n, inputs]; rows of `out` may have gaps. `shards` are those of the rows.
  void forward(const at::Tensor& x, kernels::RowShards shards, at::Tensor out);
  /// Adds to the parameters' gradients and returns the gradient by x, valid until the next call. `x` and `out` are
  /// those of the forward; `grad` [n, width] is overwritten.
  at::Tensor backward(at::Tensor grad, const at::Tensor& x, const at::Tensor& out, kernels::RowShards shards);

 private:
  std::int64_t columns_with_tanh() const { return shapes_.layers_with_tanh * shapes_.outputs; }

  LinearLayerShapes shapes_;
  std::string first_weight_, first_bias_;
  ParameterStore& parameters_;
  Matmuls& products_;
  at::Tensor weight_, bias_;
  ReusedMatrix grad_memory_;
};

}  // namespace gausscse
