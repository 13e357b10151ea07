#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "model/choices.hpp"
#include "model/encoder/parameter_store.hpp"
#include "model/ops/reused_matrix.hpp"
#include "model/products/matrix_products.hpp"

namespace gausscse {

/// Values that a head's forward leaves for its backward, and the memory for them.
struct HeadActivations {
  at::Tensor input, output;
  ReusedMatrix output_memory;
};

/// Head behind the pooling: a sentence's vector in, its embedding out.
class Head {
 public:
  virtual ~Head() = default;
  /// Returns the width of an embedding.
  virtual std::int64_t width() const = 0;
  /// Maps h [n, hidden] -> [n, width]: `h` itself, or part of `activations`. `shards` are those of the rows.
  virtual at::Tensor forward(const at::Tensor& h, kernels::RowShards shards, HeadActivations& activations) = 0;
  /// Adds to the parameters' gradients and returns the gradient by h: `grad` itself, or valid until the next call.
  /// `grad` is overwritten.
  virtual at::Tensor backward(at::Tensor grad, kernels::RowShards shards, const HeadActivations& activations) = 0;
};

struct HeadSettings {
  HeadKind kind = HeadKind::gaussian;
  MeanActivation mean = MeanActivation::tanh;  ///< activation of a Gaussian head's mean
};

/// Returns the parameters of a head on vectors of width `hidden`; their names begin with "head.": of a Gaussian one
/// head.mean.weight, head.log_var.weight [hidden, hidden], head.mean.bias, head.log_var.bias [hidden]; of mlp_tanh
/// head.mlp.weight and head.mlp.bias of the same shapes.
std::vector<ParameterSpec> head_parameters(HeadKind kind, std::int64_t hidden);

/// Returns the width of an embedding that a head makes of vectors of width `hidden`.
std::int64_t head_width(HeadKind kind, std::int64_t hidden);

/// Makes a head. A Gaussian one gives mean and log-variance next to each other in this order. `parameters` holds
/// `head_parameters(settings.kind, hidden)`; it and `products` must outlive the head.
std::unique_ptr<Head> make_head(const HeadSettings& settings, std::int64_t hidden, ParameterStore& parameters,
                                MatrixProducts& products);

}  // namespace gausscse
