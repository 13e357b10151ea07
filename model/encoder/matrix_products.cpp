#include "model/encoder/matrix_products.hpp"

#include <ATen/ops/addmm.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "model/ops/ops.hpp"

namespace gausscse {

namespace {

/// Large, as each tile has its factors laid out anew by the library; a matrix of a base encoder still has some.
constexpr std::int64_t tile_rows = 2048;
constexpr std::int64_t tile_columns = 192;

}  // namespace

bool processor_multiplies_bfloat16() {
  // From the kernel's list: the compiler's own test does not know AMX.
  static const bool found = [] {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
      if (line.rfind("flags", 0) == 0)
        return line.find(" avx512_bf16") != std::string::npos || line.find(" amx_bf16") != std::string::npos;
    return false;
  }();
  return found;
}

MatrixProducts::MatrixProducts(const at::Tensor& parameters, Precision precision, Bfloat16Way way, bool fixed_tiles)
    : fixed_tiles_(fixed_tiles) {
  const bool native = precision == Precision::bfloat16 &&
                      (way == Bfloat16Way::native || (way == Bfloat16Way::fastest && processor_multiplies_bfloat16()));
  weights_ = std::make_shared<Weights>(Weights{parameters, precision, native});
}

void MatrixProducts::prepare_weights() {
  Weights& weights = *weights_;
  if (weights.precision == Precision::full || weights.current) return;
  const at::Tensor& parameters = weights.parameters;
  if (!weights.rounded.defined()) {
    const auto type = weights.native ? at::kBFloat16 : parameters.scalar_type();
    weights.rounded = at::empty_like(parameters, parameters.options().dtype(type));
  }
  if (weights.native)
    weights.rounded.copy_(parameters);
  else
    ops::round_to_bfloat16(parameters, weights.rounded);
  weights.current = true;
}

at::Tensor MatrixProducts::weight_factor(const at::Tensor& weight) {
  if (weights_->precision == Precision::full) return weight;
  prepare_weights();
  return weights_->rounded.as_strided(weight.sizes(), weight.strides(), weight.storage_offset());
}

MatrixProducts::Factor MatrixProducts::prepare(const at::Tensor& x, int slot) {
  if (weights_->precision == Precision::full) return {x};
  const bool native = weights_->native;
  at::Tensor factor = factors_[slot].get(x.size(0), x.size(1), native ? at::kBFloat16 : x.scalar_type());
  if (native || !x.is_contiguous()) factor.copy_(x);
  if (!native) ops::round_to_bfloat16(x.is_contiguous() ? x : factor, factor);
  return {factor};
}

void MatrixProducts::multiply(const at::Tensor& a, const at::Tensor& b, at::Tensor out, bool accumulate) {
  const bool native = weights_->native;
  const at::Tensor product = native ? product_.get(out.size(0), out.size(1), at::kBFloat16) : at::Tensor();
  if (!fixed_tiles_) {
    multiply_tile(a, b, out, product, accumulate);
    return;
  }
  const auto in_tiles = [](std::int64_t size, std::int64_t tile) { return (size + tile - 1) / tile; };
  const std::int64_t row_tiles = in_tiles(out.size(0), tile_rows), column_tiles = in_tiles(out.size(1), tile_columns);
  // Within a parallel region the library's products use one thread each. Dynamic, as the last tiles may be small.
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t tile = 0; tile < row_tiles * column_tiles; ++tile) {
    const std::int64_t row = tile / column_tiles * tile_rows, column = tile % column_tiles * tile_columns;
    const std::int64_t rows = std::min(tile_rows, out.size(0) - row);
    const std::int64_t columns = std::min(tile_columns, out.size(1) - column);
    const auto part = [&](const at::Tensor& whole) { return whole.narrow(0, row, rows).narrow(1, column, columns); };
    multiply_tile(a.narrow(0, row, rows), b.narrow(1, column, columns), part(out), native ? part(product) : product,
                  accumulate);
  }
}

void MatrixProducts::multiply_tile(const at::Tensor& a, const at::Tensor& b, at::Tensor out, at::Tensor product,
                                   bool accumulate) {
  if (weights_->native) {
    at::mm_out(product, a, b);
    accumulate ? out.add_(product) : out.copy_(product);
  } else if (accumulate) {
    at::addmm_out(out, out, a, b);
  } else {
    at::mm_out(out, a, b);
  }
}

void MatrixProducts::forward(const Factor& x, const at::Tensor& weight, at::Tensor out, const at::Tensor& bias) {
  const at::Tensor factor = weight_factor(weight);
  if (bias.defined()) {
    out.copy_(bias.expand_as(out));
    multiply(x.tensor, factor.t(), out, true);
  } else {
    multiply(x.tensor, factor.t(), out, false);
  }
}

void MatrixProducts::input_gradient(const Factor& grad, const at::Tensor& weight, at::Tensor out, bool accumulate) {
  multiply(grad.tensor, weight_factor(weight), out, accumulate);
}

void MatrixProducts::weight_gradient(const Factor& grad, const Factor& x, at::Tensor grad_weight) {
  multiply(grad.tensor.t(), x.tensor, grad_weight, true);
}

}  // namespace gausscse
