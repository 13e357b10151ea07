#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "model/choices.hpp"
#include "model/kernels/row_shards.hpp"

namespace gausscse {

namespace int8_matmul {
class Weights;
}

/// The three products of a linear layer y = x W^T, on the device of its weights. Sums are float32 (or float64) for
/// factors of any type.
class Matmuls {
 public:
  virtual ~Matmuls() = default;

  /// Returns the type in which products are got and factors are given without a copy: bfloat16 where products of
  /// bfloat16 are the device's own, else the parameters'.
  virtual at::ScalarType product_type() const = 0;
  /// Takes note that the parameters have changed. Must be called then, while no thread computes products.
  virtual void parameters_changed() = 0;
  /// Returns the copy of all parameters in bfloat16 that products are computed from, laid out as they are; undefined
  /// where there is none. An optimizer that writes it along with the parameters need not call `parameters_changed`.
  virtual at::Tensor rounded_parameters() const { return {}; }
  /// Makes all gradients, those of a ParameterStore, 0 for a backward. Elements that only `weight_gradient` computes
  /// may have any value until it does, or until `finish_gradients`.
  virtual void clear_gradients(const at::Tensor& gradients) { gradients.zero_(); }
  /// Makes the elements from `first` on 0 that `weight_gradient` was left to compute and has not.
  virtual void finish_gradients(std::int64_t /*first*/) {}
  /// Returns products by the same weights, with separate memory for factors, so that another thread can compute them.
  virtual std::unique_ptr<Matmuls> for_another_thread() const = 0;

  /// A factor made ready for products: `x` itself where that can be, else valid until the next call of `prepare` with
  /// the same `slot` (0 to 2).
  struct Factor {
    at::Tensor tensor;
    kernels::RowShards shards;
    at::Tensor given;  ///< matrix that it was made from
  };
  virtual Factor prepare(const at::Tensor& x, kernels::RowShards shards, int slot) = 0;

  /// Computes out [rows, N] = x [rows, K] W^T, with W [N, K] a view of the parameters; plus `bias` [N] if defined.
  /// `out` is of the product type, or, with a bias too, of the parameters'.
  virtual void forward(const Factor& x, const at::Tensor& weight, at::Tensor out, const at::Tensor& bias) = 0;
  void forward(const Factor& x, const at::Tensor& weight, at::Tensor out) { forward(x, weight, out, {}); }
  /// Computes out = x W^T, and activation = gelu(out + bias), both of the product type.
  virtual void forward_with_gelu(const Factor& x, const at::Tensor& weight, const at::Tensor& bias, at::Tensor out,
                                 at::Tensor activation) = 0;
  /// Computes out [rows, K] = grad [rows, N] W, of either type.
  virtual void input_gradient(const Factor& grad, const at::Tensor& weight, at::Tensor out) = 0;
  /// Computes grad_weight [N, K] += grad^T [N, rows] x [rows, K], a sum over the rows' shards. If `grad_bias` [N] is
  /// defined, also adds to it the sums of the columns of the matrix of which `grad` was made. A bias gets its gradient
  /// in this way alone.
  virtual void weight_gradient(const Factor& grad, const Factor& x, at::Tensor grad_weight, at::Tensor grad_bias) = 0;
  void weight_gradient(const Factor& grad, const Factor& x, at::Tensor grad_weight) {
    weight_gradient(grad, x, std::move(grad_weight), {});
  }

  /// Returns the weights of layers in bytes (model/encoder/int8_layers.hpp), null where the precision is another than
  /// int8. The products above are then those of a bf16 processor, or float32's on another.
  virtual int8_matmul::Weights* int8_weights() { return nullptr; }
};

/// Products of the device that `parameters` is on, the flat tensor that holds all weights; it must outlive them.
/// `fixed_tiles`, which CPUs have: products are cut at the shards of their rows and into tiles that depend on shapes
/// only, each computed by one thread. So the bits depend neither on the number of threads nor on the choice of shards
/// that are computed together. Throws std::logic_error for them elsewhere, and InputError for int8 elsewhere.
std::unique_ptr<Matmuls> make_matmuls(const at::Tensor& parameters, Precision precision, bool fixed_tiles = false);

}  // namespace gausscse
