#pragma once

#include "model/tensor/tensor.hpp"

/// Functions that make and join tensors, and operators; see tensor.hpp, which includes this file.
namespace at {

inline Tensor operator+(const Tensor& a, const Tensor& b) {
  return a.add(b);
}
inline Tensor operator+(const Tensor& a, Scalar b) {
  return a.add(b);
}
inline Tensor operator-(const Tensor& a, const Tensor& b) {
  return a.sub(b);
}
inline Tensor operator-(const Tensor& a, Scalar b) {
  return a.sub(b);
}
inline Tensor operator*(const Tensor& a, const Tensor& b) {
  return a.mul(b);
}
inline Tensor operator*(const Tensor& a, Scalar b) {
  return a.mul(b);
}
inline Tensor operator/(const Tensor& a, const Tensor& b) {
  return a.div(b);
}
inline Tensor operator/(const Tensor& a, Scalar b) {
  return a.div(b);
}
inline Tensor operator==(const Tensor& a, const Tensor& b) {
  return a.eq(b);
}
inline Tensor operator==(const Tensor& a, Scalar b) {
  return a.eq(b);
}
inline Tensor operator!=(const Tensor& a, const Tensor& b) {
  return a.ne(b);
}
inline Tensor operator!=(const Tensor& a, Scalar b) {
  return a.ne(b);
}
inline Tensor operator>(const Tensor& a, Scalar b) {
  return a.gt(b);
}
inline Tensor operator+(Scalar a, const Tensor& b) {
  return b.add(a);
}
inline Tensor operator*(Scalar a, const Tensor& b) {
  return b.mul(a);
}
Tensor operator-(Scalar a, const Tensor& b);
Tensor operator/(Scalar a, const Tensor& b);
inline Tensor operator-(const Tensor& a) {
  return a.neg();
}

Tensor empty(IntArrayRef sizes, TensorOptions options = {});
/// Makes large tensors of fresh memory of the system, which is zero and takes no time before it is used.
Tensor zeros(IntArrayRef sizes, TensorOptions options = {});
Tensor ones(IntArrayRef sizes, TensorOptions options = {});
Tensor full(IntArrayRef sizes, Scalar value, TensorOptions options = {});
Tensor empty_like(const Tensor& like);
Tensor zeros_like(const Tensor& like);
Tensor zeros_like(const Tensor& like, MemoryFormat);
Tensor ones_like(const Tensor& like);
Tensor full_like(const Tensor& like, Scalar value);
Tensor arange(Scalar start, Scalar end, TensorOptions options = kLong);
Tensor tensor(ArrayRef<double> values, TensorOptions options = kFloat);
Tensor tensor(ArrayRef<std::int64_t> values, TensorOptions options = kLong);
Tensor tensor(ArrayRef<std::int32_t> values, TensorOptions options = kInt);
/// Rows and columns of the lower triangle, [2, n].
Tensor tril_indices(std::int64_t rows, std::int64_t columns, std::int64_t offset = 0, TensorOptions options = kLong);
/// Memory of somebody else, which must outlive the tensor.
Tensor from_blob(void* data, IntArrayRef sizes, TensorOptions options = {});

Tensor cat(ArrayRef<Tensor> tensors, std::int64_t dimension = 0);
inline Tensor add(const Tensor& a, const Tensor& b) {
  return a.add(b);
}
inline Tensor mul(const Tensor& a, const Tensor& b) {
  return a.mul(b);
}
inline Tensor mul(const Tensor& a, Scalar b) {
  return a.mul(b);
}
Tensor maximum(const Tensor& a, const Tensor& b);
Tensor where(const Tensor& condition, const Tensor& yes, const Tensor& no);
/// Length of order 2 over dimensions.
Tensor linalg_vector_norm(const Tensor& self, Scalar order, IntArrayRef dimensions, bool keep = false,
                          std::optional<ScalarType> type = {});
inline Tensor mm(const Tensor& a, const Tensor& b) {
  return a.mm(b);
}
/// Computes out = left right.
const Tensor& mm_out(const Tensor& out, const Tensor& left, const Tensor& right);
Tensor addmm(const Tensor& bias, const Tensor& left, const Tensor& right);
/// Computes out = added + left right; `out` may be `added`.
const Tensor& addmm_out(const Tensor& out, const Tensor& added, const Tensor& left, const Tensor& right);
const Tensor& index_select_out(const Tensor& out, const Tensor& self, std::int64_t dimension, const Tensor& index);
inline Tensor index_select(const Tensor& self, std::int64_t dimension, const Tensor& index) {
  return self.index_select(dimension, index);
}
void _foreach_zero_(ArrayRef<Tensor> tensors);

}  // namespace at
