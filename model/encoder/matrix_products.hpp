#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "model/choices.hpp"
#include "model/encoder/block_products.hpp"
#include "model/encoder/tiles.hpp"
#include "model/encoder/workspace.hpp"
#include "model/kernels/row_shards.hpp"

namespace gausscse {

/// The three products of a linear layer y = x W^T.
///
/// bfloat16 has two ways. Where there are instructions for bfloat16 (see bfloat16_instructions) factors are bfloat16,
/// by block_products. Elsewhere factors are rounded to bfloat16 values held in float32, and the float32 product is
/// used: the same products of the same numbers. Sums are float32 either way.
class MatrixProducts {
 public:
  /// `native` needs the instructions.
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
  /// Must be called after the parameters have changed, while no thread computes products.
  void parameters_changed() { weights_->changed(); }

  /// Products by the same weights, with memory of their own for factors, so that another thread can compute them.
  MatrixProducts for_another_thread() const { return MatrixProducts(weights_, fixed_tiles_); }

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
  /// out = x W^T, and activation = gelu(out + bias), both of the product type.
  void forward_with_gelu(const Factor& x, const at::Tensor& weight, const at::Tensor& bias, at::Tensor out,
                         at::Tensor activation);
  /// out [rows, K] = grad [rows, N] W, of either type.
  void input_gradient(const Factor& grad, const at::Tensor& weight, at::Tensor out);
  /// grad_weight [N, K] += grad^T [N, rows] x [rows, K], a sum over the rows' shards.
  void weight_gradient(const Factor& grad, const Factor& x, at::Tensor grad_weight);

 private:
  /// The weights as factors, each made ready when it is first asked for after a change.
  class Weights {
   public:
    Weights(const at::Tensor& values, Precision kind, bool by_blocks)
        : parameters(values), precision(kind), native(by_blocks) {}

    void changed();
    /// A view of the parameters as they are, or rounded.
    at::Tensor factor(const at::Tensor& weight);
    /// For the native way.
    const block_products::RightFactor& packed(const at::Tensor& weight, bool transposed);

    const at::Tensor& parameters;
    const Precision precision;
    const bool native;

   private:
    struct Packed {
      block_products::RightFactor factor;
      bool current = false;
    };

    std::mutex mutex_;
    bool rounded_is_current_ = false;
    at::Tensor rounded_;
    std::map<std::tuple<std::int64_t, std::int64_t, bool>, Packed> packed_;  ///< by offset, rows and transposition
  };

  MatrixProducts(std::shared_ptr<Weights> weights, bool fixed_tiles)
      : weights_(std::move(weights)), fixed_tiles_(fixed_tiles) {}

  /// out = a b (+ out), by LibTorch.
  void multiply_rows(const Factor& a, const at::Tensor& b, at::Tensor out, bool accumulate);
  /// Adds to `grad_weight` the sum over the shards, in the order of their tree. `product(shard, tile, out)` computes a
  /// tile of a shard's part.
  void add_shards(const kernels::RowShards& shards, const std::vector<Tile>& tiles, at::Tensor grad_weight,
                  const std::function<void(std::int64_t shard, const Tile& tile, at::Tensor out)>& product);

  std::shared_ptr<Weights> weights_;
  bool fixed_tiles_;
  ReusedMatrix factors_[3];
  block_products::RowSumFactors row_sums_;
  ReusedMatrix partial_sums_, sums_of_threads_;
};

}  // namespace gausscse
