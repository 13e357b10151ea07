#pragma once

#include <ATen/core/Tensor.h>

#include "base/error.hpp"

namespace gausscse::ops {

/// Calls `function` with a float or a double, as `tensor` holds.
template <typename Function>
auto with_scalar_type(const at::Tensor& tensor, const Function& function) {
  GAUSSCSE_CHECK(tensor.scalar_type() == at::kFloat || tensor.scalar_type() == at::kDouble,
                 "kernels take float32 or float64");
  return tensor.scalar_type() == at::kFloat ? function(float{}) : function(double{});
}

/// The data of a contiguous tensor, or null for an undefined one.
template <typename T>
T* data(at::Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  GAUSSCSE_CHECK(tensor.is_contiguous(), "kernels take contiguous tensors");
  return tensor.mutable_data_ptr<T>();
}

template <typename T>
const T* const_data(const at::Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  GAUSSCSE_CHECK(tensor.is_contiguous(), "kernels take contiguous tensors");
  return tensor.const_data_ptr<T>();
}

inline const std::uint32_t* const_words(const at::Tensor& tensor) {
  return reinterpret_cast<const std::uint32_t*>(const_data<std::int32_t>(tensor));
}

}  // namespace gausscse::ops
