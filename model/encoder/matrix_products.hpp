#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "model/choices.hpp"
#include "model/encoder/workspace.hpp"
#include "model/kernels/row_shards.hpp"

namespace gausscse {

/// The three products of a linear layer y = x W^T.
///
/// bfloat16 has two ways. Where the processor multiplies bfloat16 (AVX-512 BF16, AMX) factors are converted and
/// LibTorch's bfloat16 product is used. Elsewhere factors are rounded to bfloat16 values held in float32, and the
/// float32 product is used: the same products of the same numbers, with sums kept in float32.
class MatrixProducts {
 public:
  enum class Bfloat16Way { fastest, native, rounded };
  /// `parameters` is the flat tensor that holds all weights; it must outlive this object.
  /// `fixed_tiles`: products are cut at the shards of their rows and into tiles that depend on shapes only, each
  /// computed by one thread, so that the bits depend neither on the number of threads nor on which shards are computed
  /// together.
  MatrixProducts(const at::Tensor& parameters, Precision precision, Bfloat16Way way = Bfloat16Way::fastest,
                 bool fixed_tiles = false);

  /// The type in which products are got and factors are given without a copy: bfloat16 where the processor's products
  /// are, else the parameters'.
  at::ScalarType product_type() const { return weights_->native ? at::kBFloat16 : weights_->parameters.scalar_type(); }
  /// Must be called after the parameters have changed.
  void parameters_changed() { weights_->current = false; }

  /// Products by the same weights, with memory of their own for factors, so that another thread can compute them.
  MatrixProducts for_another_thread() const { return MatrixProducts(weights_, fixed_tiles_); }
  /// Makes the weights ready, after which several threads may compute products until the parameters change.
  void prepare_weights();

  /// A factor made ready for products: `x` itself where that can be, else valid until the next call of `prepare` with
  /// the same `slot` (0 to 2).
  struct Factor {
    at::Tensor tensor;
    kernels::RowShards shards;
  };
  Factor prepare(const at::Tensor& x, kernels::RowShards shards, int slot);

  /// out [rows, N] = x [rows, K] W^T, with W [N, K] a view of the parameters; plus `bias` [N] if defined. `out` is of
  /// the product type, or, with a bias too, of the parameters'.
  void forward(const Factor& x, const at::Tensor& weight, at::Tensor out, const at::Tensor& bias = {});
  /// out [rows, K] = grad [rows, N] W, of either type.
  void input_gradient(const Factor& grad, const at::Tensor& weight, at::Tensor out);
  /// grad_weight [N, K] += grad^T [N, rows] x [rows, K], a sum over the rows' shards.
  void weight_gradient(const Factor& grad, const Factor& x, at::Tensor grad_weight);

 private:
  /// The weights as a factor.
  struct Weights {
    const at::Tensor& parameters;
    Precision precision;
    bool native;
    bool current = false;
    at::Tensor rounded = {};
  };

  MatrixProducts(std::shared_ptr<Weights> weights, bool fixed_tiles)
      : weights_(std::move(weights)), fixed_tiles_(fixed_tiles) {}

  at::Tensor weight_factor(const at::Tensor& weight);
  /// out = a b (+ out).
  void multiply_rows(const Factor& a, const at::Tensor& b, at::Tensor out, bool accumulate);
  /// out = a b (+ out), where a and b are factors, in one call of the library. `product`: memory of the shape of `out`
  /// for a bfloat16 product on its way to another type.
  void multiply(const at::Tensor& a, const at::Tensor& b, at::Tensor out, at::Tensor product, bool accumulate);
  /// Undefined where `out` takes products as they are.
  at::Tensor product_memory(std::int64_t rows, std::int64_t columns, const at::Tensor& out);

  std::shared_ptr<Weights> weights_;
  bool fixed_tiles_;
  ReusedMatrix factors_[3];
  ReusedMatrix product_;
  ReusedMatrix partial_sums_, sums_of_threads_;
};

/// True if this processor has instructions that multiply bfloat16 numbers.
bool processor_multiplies_bfloat16();

}  // namespace gausscse
