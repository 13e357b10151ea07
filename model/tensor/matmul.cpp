#include "model/kernels/panel_matmul.hpp"
#include "model/tensor/walk.hpp"

namespace at {

namespace {

using gausscse::kernels::panel_width;

/// Returns the matrix, or a copy whose rows have no gaps between their elements.
Tensor with_dense_rows(const Tensor& matrix) {
  return matrix.size(1) <= 1 || matrix.stride(1) == 1 ? matrix : matrix.contiguous();
}

/// Computes out = left right in float32, by our kernel: an element is added up in the order of its depth.
void multiply_floats(const Tensor& out, const Tensor& left, const Tensor& right) {
  const auto& kernels = gausscse::kernels::panel_matmul();
  const std::int64_t rows = left.size(0), depth = left.size(1), columns = right.size(1);
  const bool is_transposed = depth > 1 && right.stride(0) == 1 && right.stride(1) != 1;
  const Tensor a = with_dense_rows(left), b = is_transposed ? right : with_dense_rows(right);
  const auto* const from = b.const_data_ptr<float>();
  const std::int64_t panels = (columns + panel_width - 1) / panel_width;
  const Tensor packed = empty({panels, depth, panel_width});
  auto* const memory = packed.mutable_data_ptr<float>();
  constexpr std::int64_t rows_of_block = 96;
  const std::int64_t blocks = (rows + rows_of_block - 1) / rows_of_block;
  const auto columns_of = [&](std::int64_t panel) { return std::min(panel_width, columns - panel * panel_width); };
  const bool is_large = rows * depth * columns > std::int64_t{1} << 20;
#pragma omp parallel for schedule(static) if (is_large)
  for (std::int64_t panel = 0; panel < panels; ++panel) {
    const std::int64_t column = panel * panel_width;
    float* const to = memory + panel * depth * panel_width;
    if (is_transposed)
      kernels.pack_transposed(from + column * b.stride(1), b.stride(1), depth, columns_of(panel), to);
    else
      kernels.pack(from + column, b.stride(0), depth, columns_of(panel), to);
  }
#pragma omp parallel for schedule(dynamic, 1) if (is_large)
  for (std::int64_t task = 0; task < blocks * panels; ++task) {
    const std::int64_t panel = task % panels, row = task / panels * rows_of_block;
    kernels.multiply({.left = a.const_data_ptr<float>() + row * a.stride(0),
                      .left_stride = a.stride(0),
                      .rows = std::min(rows_of_block, rows - row),
                      .depth = depth,
                      .panel = memory + panel * depth * panel_width,
                      .bias = nullptr,
                      .columns = columns_of(panel),
                      .out = out.mutable_data_ptr<float>() + row * out.stride(0) + panel * panel_width,
                      .out_stride = out.stride(0)});
  }
}

void multiply_doubles(const Tensor& out, const Tensor& left, const Tensor& right) {
  const Tensor a = left.contiguous(), b = right.contiguous();
  const std::int64_t rows = a.size(0), depth = a.size(1), columns = b.size(1);
  const auto* const from_a = a.const_data_ptr<double>();
  const auto* const from_b = b.const_data_ptr<double>();
#pragma omp parallel for schedule(static) if (rows * depth * columns > many_elements)
  for (std::int64_t i = 0; i < rows; ++i) {
    double* const row = out.mutable_data_ptr<double>() + i * out.stride(0);
    std::fill_n(row, columns, 0.0);
    for (std::int64_t k = 0; k < depth; ++k)
      for (std::int64_t j = 0; j < columns; ++j) row[j] += from_a[i * depth + k] * from_b[k * columns + j];
  }
}

/// Returns the product where no tensor is given to write it to.
Tensor product(const Tensor& left, const Tensor& right) {
  require(left.dim() == 2 && right.dim() == 2, "a product of what is not two matrices");
  Tensor made = empty({left.size(0), right.size(1)}, left.options());
  mm_out(made, left, right);
  return made;
}

}  // namespace

const Tensor& mm_out(const Tensor& out, const Tensor& left, const Tensor& right) {
  require(left.size(1) == right.size(0) && out.size(0) == left.size(0) && out.size(1) == right.size(1),
          "factors whose sizes do not go together");
  require(left.scalar_type() == right.scalar_type() && out.scalar_type() == left.scalar_type() &&
              (left.scalar_type() == kFloat || left.scalar_type() == kDouble),
          "factors of float32 or float64, of one type");
  if (out.numel() == 0) return out;
  if (left.size(1) == 0) return out.zero_();
  if (out.size(1) > 1 && out.stride(1) != 1) return out.copy_(product(left, right));
  left.scalar_type() == kFloat ? multiply_floats(out, left, right) : multiply_doubles(out, left, right);
  return out;
}

Tensor Tensor::mm(const Tensor& other) const {
  return product(*this, other);
}

Tensor Tensor::matmul(const Tensor& other) const {
  if (dim() == 1 && other.dim() == 1) return dot(other);
  if (dim() == 1) return unsqueeze(0).mm(other).squeeze(0);
  if (other.dim() == 1) return mm(other.unsqueeze(1)).squeeze(1);
  return mm(other);
}

Tensor Tensor::dot(const Tensor& other) const {
  require(dim() == 1 && sizes() == other.sizes(), "dot: two vectors of one size");
  return mul(other).sum();
}

const Tensor& addmm_out(const Tensor& out, const Tensor& added, const Tensor& left, const Tensor& right) {
  return out.copy_(product(left, right).add_(added));
}
Tensor addmm(const Tensor& bias, const Tensor& left, const Tensor& right) {
  return product(left, right).add_(bias);
}
const Tensor& Tensor::addmm_(const Tensor& left, const Tensor& right, Scalar beta, Scalar alpha) const {
  if (beta.to<double>() != 1) mul_(beta);
  return add_(product(left, right), alpha);
}

}  // namespace at
