#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "model/matmul/cuda/cublaslt.hpp"
#include "model/matmul/cuda/written_gradients.hpp"
#include "model/matmul/matmuls.hpp"
#include "model/ops/reused_matrix.hpp"

namespace gausscse {

/// Products on a GPU, by cuBLASLt: of float32, without TF32's rounding, or of bfloat16 factors, with float32 sums. Rows
/// have one shard.
class CudaMatmuls final : public Matmuls {
 public:
  /// See make_matmuls.
  CudaMatmuls(const at::Tensor& parameters, Precision precision);

  using Matmuls::forward;
  using Matmuls::weight_gradient;
  at::ScalarType product_type() const override;
  void parameters_changed() override;
  at::Tensor rounded_parameters() const override { return weights_->rounded; }
  void clear_gradients(const at::Tensor& gradients) override { written_.clear(gradients); }
  void finish_gradients(std::int64_t first) override { written_.finish(first); }
  std::unique_ptr<Matmuls> for_another_thread() const override;
  Factor prepare(const at::Tensor& x, kernels::RowShards shards, int slot) override;
  void forward(const Factor& x, const at::Tensor& weight, at::Tensor out, const at::Tensor& bias) override;
  void forward_with_gelu(const Factor& x, const at::Tensor& weight, const at::Tensor& bias, at::Tensor out,
                         at::Tensor activation) override;
  void input_gradient(const Factor& grad, const at::Tensor& weight, at::Tensor out) override;
  void weight_gradient(const Factor& grad, const Factor& x, at::Tensor grad_weight, at::Tensor grad_bias) override;

 private:
  /// All parameters as factors, rounded once after each change.
  struct Weights {
    Weights(const at::Tensor& values, Precision kind) : parameters(values), precision(kind) {}

    const at::Tensor& parameters;
    Precision precision;
    at::Tensor rounded;
    CublasLt library;
  };

  explicit CudaMatmuls(std::shared_ptr<Weights> weights) : weights_(std::move(weights)) {}

  /// Returns the view `weight` of the parameters, of the product type.
  at::Tensor factor(const at::Tensor& weight) const;
  bool multiply(const at::Tensor& a, const at::Tensor& b, at::Tensor out, const CublasLt::Options& options = {}) const {
    return weights_->library.multiply(a, b, std::move(out), options);
  }

  std::shared_ptr<Weights> weights_;
  ReusedMatrix factors_[3];
  WrittenGradients written_;
};

}  // namespace gausscse
