#include "model/matmul/cuda/matmuls.hpp"

#include "model/ops/ops.hpp"

namespace gausscse {

CudaMatmuls::CudaMatmuls(const at::Tensor& parameters, Precision precision)
    : weights_(std::make_shared<Weights>(parameters, precision)) {
  parameters_changed();
}

at::ScalarType CudaMatmuls::product_type() const {
  return weights_->precision == Precision::full ? weights_->parameters.scalar_type() : at::kBFloat16;
}

void CudaMatmuls::parameters_changed() {
  if (weights_->precision == Precision::full) return;
  if (weights_->rounded.defined())
    weights_->rounded.copy_(weights_->parameters);
  else
    weights_->rounded = weights_->parameters.to(at::kBFloat16);
}

std::unique_ptr<Matmuls> CudaMatmuls::for_another_thread() const {
  return std::unique_ptr<Matmuls>(new CudaMatmuls(weights_));
}

at::Tensor CudaMatmuls::factor(const at::Tensor& weight) const {
  if (weights_->precision == Precision::full) return weight;
  return weights_->rounded.as_strided(weight.sizes(), weight.strides(), weight.storage_offset());
}

Matmuls::Factor CudaMatmuls::prepare(const at::Tensor& x, kernels::RowShards shards, int slot) {
  if (x.scalar_type() == product_type()) return {x, shards, x};
  const at::Tensor rounded = factors_[slot].get(x.size(0), x.size(1), x.options().dtype(product_type()));
  rounded.copy_(x);
  return {rounded, shards, x};
}

void CudaMatmuls::forward(const Factor& x, const at::Tensor& weight, at::Tensor out, const at::Tensor& bias) {
  multiply(x.tensor, factor(weight).t(), out);
  if (bias.defined()) out.add_(bias);
}

void CudaMatmuls::forward_with_gelu(const Factor& x, const at::Tensor& weight, const at::Tensor& bias, at::Tensor out,
                                    at::Tensor activation) {
  multiply(x.tensor, factor(weight).t(), out);
  ops::bias_gelu(out, bias, activation);
}

void CudaMatmuls::input_gradient(const Factor& grad, const at::Tensor& weight, at::Tensor out) {
  multiply(grad.tensor, factor(weight), out);
}

void CudaMatmuls::weight_gradient(const Factor& grad, const Factor& x, at::Tensor grad_weight, at::Tensor grad_bias) {
  const bool is_first = written_.is_first(grad_weight);
  // The bias has the gradient 0 until its weight has one.
  const bool sums_rows = is_first && grad_bias.defined() && grad.given.is_same(grad.tensor) &&
                         multiply(grad.tensor.t(), x.tensor, grad_weight, {.row_sums = grad_bias});
  if (sums_rows) return;
  multiply(grad.tensor.t(), x.tensor, grad_weight, {.accumulate = !is_first});
  if (grad_bias.defined()) ops::add_column_sums(grad.given, grad.shards, grad_bias);
}

}  // namespace gausscse
