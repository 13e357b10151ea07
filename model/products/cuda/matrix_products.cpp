#include "model/products/cuda/matrix_products.hpp"

#include <ATen/ops/addmm.h>
#include <ATen/ops/mm.h>

#include "model/ops/ops.hpp"

namespace gausscse {

CudaMatrixProducts::CudaMatrixProducts(const at::Tensor& parameters, Precision precision)
    : weights_(std::make_shared<Weights>(Weights{parameters, precision, {}})) {
  parameters_changed();
}

at::ScalarType CudaMatrixProducts::product_type() const {
  return weights_->precision == Precision::full ? weights_->parameters.scalar_type() : at::kBFloat16;
}

void CudaMatrixProducts::parameters_changed() {
  if (weights_->precision == Precision::full) return;
  if (weights_->rounded.defined())
    weights_->rounded.copy_(weights_->parameters);
  else
    weights_->rounded = weights_->parameters.to(at::kBFloat16);
}

std::unique_ptr<MatrixProducts> CudaMatrixProducts::for_another_thread() const {
  return std::unique_ptr<MatrixProducts>(new CudaMatrixProducts(weights_));
}

at::Tensor CudaMatrixProducts::factor(const at::Tensor& weight) const {
  if (weights_->precision == Precision::full) return weight;
  return weights_->rounded.as_strided(weight.sizes(), weight.strides(), weight.storage_offset());
}

MatrixProducts::Factor CudaMatrixProducts::prepare(const at::Tensor& x, kernels::RowShards shards, int slot) {
  if (x.scalar_type() == product_type()) return {x, shards};
  const at::Tensor rounded = factors_[slot].get(x.size(0), x.size(1), x.options().dtype(product_type()));
  rounded.copy_(x);
  return {rounded, shards};
}

void CudaMatrixProducts::multiply(const at::Tensor& a, const at::Tensor& b, at::Tensor out) const {
  if (out.scalar_type() == a.scalar_type())
    at::mm_out(out, a, b);
  else
    at::mm_outf(a, b, out.scalar_type(), out);
}

void CudaMatrixProducts::forward(const Factor& x, const at::Tensor& weight, at::Tensor out, const at::Tensor& bias) {
  multiply(x.tensor, factor(weight).t(), out);
  if (bias.defined()) out.add_(bias);
}

void CudaMatrixProducts::forward_with_gelu(const Factor& x, const at::Tensor& weight, const at::Tensor& bias,
                                           at::Tensor out, at::Tensor activation) {
  multiply(x.tensor, factor(weight).t(), out);
  ops::bias_gelu(out, bias, activation);
}

void CudaMatrixProducts::input_gradient(const Factor& grad, const at::Tensor& weight, at::Tensor out) {
  multiply(grad.tensor, factor(weight), out);
}

void CudaMatrixProducts::gradients_are_zero() {
  gradients_were_zero_ = true;
  gradients_since_.clear();
}

void CudaMatrixProducts::weight_gradient(const Factor& grad, const Factor& x, at::Tensor grad_weight) {
  if (gradients_were_zero_ && gradients_since_.insert(grad_weight.const_data_ptr()).second) {
    multiply(grad.tensor.t(), x.tensor, grad_weight);
    return;
  }
  if (grad.tensor.scalar_type() == grad_weight.scalar_type()) {
    at::addmm_out(grad_weight, grad_weight, grad.tensor.t(), x.tensor);
    return;
  }
  const at::Tensor sum = sum_.get(grad_weight.size(0), grad_weight.size(1), grad_weight.options());
  multiply(grad.tensor.t(), x.tensor, sum);
  grad_weight.add_(sum);
}

}  // namespace gausscse
