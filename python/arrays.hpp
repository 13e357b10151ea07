#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <vector>

namespace gausscse {

namespace nb = nanobind;

using Rows = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Array = nb::ndarray<nb::numpy, float>;

/// Returns the sizes of an array.
template <typename Matrix>
std::vector<std::int64_t> sizes_of(const Matrix& matrix) {
  return {static_cast<std::int64_t>(matrix.shape(0)), static_cast<std::int64_t>(matrix.shape(1))};
}

/// Returns a tensor that shares the memory of `rows`, which it must not outlive and does not change.
inline at::Tensor tensor_of(const Rows& rows) {
  return at::from_blob(const_cast<float*>(rows.data()), sizes_of(rows), at::kFloat);
}

/// Returns an array that owns the tensor.
inline Array array_of(const at::Tensor& tensor) {
  auto* const owned = new at::Tensor(tensor.contiguous());
  const nb::capsule owner(owned, [](void* pointer) noexcept { delete static_cast<at::Tensor*>(pointer); });
  std::vector<std::size_t> shape;
  for (const std::int64_t size : owned->sizes()) shape.push_back(static_cast<std::size_t>(size));
  return Array(owned->mutable_data_ptr<float>(), shape.size(), shape.data(), owner);
}

}  // namespace gausscse
