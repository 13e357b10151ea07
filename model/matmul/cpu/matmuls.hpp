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

#include "model/matmul/cpu/block_matmul.hpp"
#include "model/matmul/cpu/int8_matmul.hpp"
#include "model/matmul/cpu/panel_matmul.hpp"
#include "model/matmul/cpu/tiles.hpp"
#include "model/matmul/matmuls.hpp"
#include "model/ops/reused_matrix.hpp"

namespace gausscse {

/// Products on CPUs.
///
/// float32 products by weights are panel_matmul', float64's are LibTorch's, and so are sums over rows (gradients of
/// weights).
///
/// bfloat16 has two ways. Where there are instructions for bfloat16 (see bfloat16_instructions) factors are bfloat16,
/// by block_matmul. Elsewhere factors are rounded to bfloat16 values held in float32, and the float32 product is
/// used: the same products of the same numbers.
///
/// In int8 the layers' matmuls are int8_matmul'. The head's are bfloat16's where there are instructions for it, as
/// these give a sentence the same bits next to any others; elsewhere they are float32's.
class CpuMatmuls final : public Matmuls {
 public:
  /// `native` needs the instructions.
  enum class Bfloat16Way { fastest, native, rounded };
  /// See make_matmuls.
  CpuMatmuls(const at::Tensor& parameters, Precision precision, Bfloat16Way way = Bfloat16Way::fastest,
             bool fixed_tiles = false);

  using Matmuls::forward;
  using Matmuls::weight_gradient;
  at::ScalarType product_type() const override {
    return weights_->native ? at::kBFloat16 : weights_->parameters.scalar_type();
  }
  void parameters_changed() override { weights_->changed(); }
  std::unique_ptr<Matmuls> for_another_thread() const override {
    return std::unique_ptr<Matmuls>(new CpuMatmuls(weights_, fixed_tiles_));
  }
  Factor prepare(const at::Tensor& x, kernels::RowShards shards, int slot) override;
  void forward(const Factor& x, const at::Tensor& weight, at::Tensor out, const at::Tensor& bias) override;
  void forward_with_gelu(const Factor& x, const at::Tensor& weight, const at::Tensor& bias, at::Tensor out,
                         at::Tensor activation) override;
  void input_gradient(const Factor& grad, const at::Tensor& weight, at::Tensor out) override;
  void weight_gradient(const Factor& grad, const Factor& x, at::Tensor grad_weight, at::Tensor grad_bias) override;
  int8_matmul::Weights* int8_weights() override { return weights_->in_bytes.get(); }

 private:
  /// The weights as factors, each made ready when it is first asked for after a change.
  class Weights {
   public:
    Weights(const at::Tensor& values, Precision kind, bool by_blocks)
        : parameters(values),
          rounds(kind == Precision::bfloat16),
          native(by_blocks),
          in_bytes(kind == Precision::int8 ? std::make_unique<int8_matmul::Weights>() : nullptr) {}

    void changed();
    /// Returns a view of the parameters as they are, or rounded.
    at::Tensor factor(const at::Tensor& weight);
    /// Returns a factor packed for the native way.
    const block_matmul::RightFactor& packed(const at::Tensor& weight, bool transposed);
    /// Returns the panels of a float32 factor, from its second use after a change on; null at the first, as many a
    /// factor is used only once.
    const float* panels(const panel_matmul::RightFactor& factor);

    const at::Tensor& parameters;
    const bool rounds;  ///< true if factors are bfloat16
    const bool native;
    const std::unique_ptr<int8_matmul::Weights> in_bytes;  ///< null where the precision is not int8

   private:
    struct Packed {
      block_matmul::RightFactor factor;
      bool current = false;
    };

    std::mutex mutex_;
    bool rounded_is_current_ = false;
    at::Tensor rounded_;
    struct InPanels {
      ReusedLines panels;
      const float* current = nullptr;
      bool used = false;
    };
    using WeightKey = std::tuple<std::int64_t, std::int64_t, bool>;  ///< offset, rows and transposition
    static WeightKey key_of(const at::Tensor& weight, bool transposed) {
      return {weight.storage_offset(), weight.size(0), transposed};
    }

    std::map<WeightKey, Packed> packed_;
    std::map<WeightKey, InPanels> in_panels_;
  };

  CpuMatmuls(std::shared_ptr<Weights> weights, bool fixed_tiles)
      : weights_(std::move(weights)), fixed_tiles_(fixed_tiles) {}

  /// Returns whether products by weights are panel_matmul'.
  bool by_panels() const { return !weights_->native && weights_->parameters.scalar_type() == at::kFloat; }
  void multiply_panels(const Factor& a, const at::Tensor& weight, bool transposed, const panel_matmul::Result& result);
  /// Computes out = a b (+ out), by LibTorch.
  void multiply_rows(const Factor& a, const at::Tensor& b, at::Tensor out, bool accumulate);
  /// Adds to `grad_weight` the sum over the shards, in the order of their tree. `product(shard, tile, out)` computes a
  /// tile of a shard's part.
  void add_shards(const kernels::RowShards& shards, const std::vector<Tile>& tiles, at::Tensor grad_weight,
                  const std::function<void(std::int64_t shard, const Tile& tile, at::Tensor out)>& product);

  std::shared_ptr<Weights> weights_;
  bool fixed_tiles_;
  ReusedMatrix factors_[3];
  ReusedLines panels_;
  block_matmul::RowSumFactors row_sums_;
  ReusedMatrix partial_sums_, sums_of_threads_;
};

}  // namespace gausscse
