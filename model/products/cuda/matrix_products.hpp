#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <set>

#include "model/ops/reused_matrix.hpp"
#include "model/products/matrix_products.hpp"

namespace gausscse {

/// Products on a GPU, by LibTorch (cuBLAS): of float32, without TF32's rounding where LibTorch is set so, as it is by
/// default; or of bfloat16 factors, with float32 sums. Rows have one shard.
class CudaMatrixProducts final : public MatrixProducts {
 public:
  /// See make_matrix_products.
  CudaMatrixProducts(const at::Tensor& parameters, Precision precision);

  using MatrixProducts::forward;
  at::ScalarType product_type() const override;
  void parameters_changed() override;
  at::Tensor rounded_parameters() const override { return weights_->rounded; }
  void gradients_are_zero() override;
  std::unique_ptr<MatrixProducts> for_another_thread() const override;
  Factor prepare(const at::Tensor& x, kernels::RowShards shards, int slot) override;
  void forward(const Factor& x, const at::Tensor& weight, at::Tensor out, const at::Tensor& bias) override;
  void forward_with_gelu(const Factor& x, const at::Tensor& weight, const at::Tensor& bias, at::Tensor out,
                         at::Tensor activation) override;
  void input_gradient(const Factor& grad, const at::Tensor& weight, at::Tensor out) override;
  void weight_gradient(const Factor& grad, const Factor& x, at::Tensor grad_weight) override;

 private:
  /// All parameters as factors, rounded once after each change.
  struct Weights {
    const at::Tensor& parameters;
    Precision precision;
    at::Tensor rounded;
  };

  explicit CudaMatrixProducts(std::shared_ptr<Weights> weights) : weights_(std::move(weights)) {}

  /// Returns the view `weight` of the parameters, of the product type.
  at::Tensor factor(const at::Tensor& weight) const;
  /// Computes out = a b, where `out` may be float32 next to factors in bfloat16.
  void multiply(const at::Tensor& a, const at::Tensor& b, at::Tensor out) const;

  std::shared_ptr<Weights> weights_;
  ReusedMatrix factors_[3], sum_;
  bool gradients_were_zero_ = false;
  std::set<const void*> gradients_since_;  ///< begins of the gradients that have been written to since
};

}  // namespace gausscse
