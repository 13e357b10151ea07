#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "model/batch/parameter_store.hpp"
#include "model/head/head_settings.hpp"
#include "model/matmul/matmuls.hpp"
#include "model/ops/reused_matrix.hpp"
#include "model/ops/unit_rows.hpp"

namespace gausscse {

/// Values that a head's forward leaves for its backward, and the memory for them.
struct HeadActivations {
  at::Tensor input, output;
  /// Outputs of a Gaussian head's layers that read the vector, and of the log-variance's hidden layer.
  at::Tensor of_vector, hidden;
  std::optional<UnitRows> unit_input, unit_mean;  ///< vectors and means before they were scaled, if they are
  ReusedMatrix output_memory, of_vector_memory, hidden_memory;

  /// Returns the bytes of the memory, and of the scaling's units and vectors.
  std::int64_t bytes() const;
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

/// Returns the parameters of a head on vectors of width `hidden`; their names begin with "head.": of mlp_tanh
/// head.mlp.weight [hidden, hidden] and head.mlp.bias [hidden]; of a Gaussian one, as far as it has these layers,
///
///     head.mean.weight, head.log_var.weight [hidden, hidden], head.mean.bias, head.log_var.bias [hidden],
///
/// where the log-variance has a hidden layer
///
///     head.mean.weight, head.mean.bias, head.log_var.hidden.weight [log_var_width, hidden],
///     head.log_var.hidden.bias [log_var_width], head.log_var.weight [hidden, log_var_width], head.log_var.bias.
std::vector<ParameterSpec> head_parameters(const HeadSettings& settings, std::int64_t hidden);

/// Returns the width of an embedding that a head makes of vectors of width `hidden`.
std::int64_t head_width(HeadKind kind, std::int64_t hidden);

/// Makes a head. A Gaussian one gives mean and log-variance next to each other in this order. `parameters` holds
/// `head_parameters(settings, hidden)`; it and `products` must outlive the head.
std::unique_ptr<Head> make_head(const HeadSettings& settings, std::int64_t hidden, ParameterStore& parameters,
                                Matmuls& products);

}  // namespace gausscse
