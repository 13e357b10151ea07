#pragma once

#include <ATen/core/Tensor.h>

#include <type_traits>

#include "base/error.hpp"
#include "model/kernels/bfloat16.hpp"

namespace gausscse::ops {

/// Calls `function` with a float or a double, as `tensor` holds.
template <typename Function>
auto with_scalar_type(const at::Tensor& tensor, const Function& function) {
  GAUSSCSE_CHECK(tensor.scalar_type() == at::kFloat || tensor.scalar_type() == at::kDouble,
                 "kernels take float32 or float64");
  return tensor.scalar_type() == at::kFloat ? function(float{}) : function(double{});
}

/// Calls `function` with a number of the type that `tensor` holds and one of the type that `factor` holds: the same, or
/// a Bfloat16 next to a float.
template <typename Function>
auto with_factor_type(const at::Tensor& tensor, const at::Tensor& factor, const Function& function) {
  if (factor.scalar_type() == at::kBFloat16) {
    GAUSSCSE_CHECK(tensor.scalar_type() == at::kFloat, "bfloat16 factors go with float32");
    return function(float{}, kernels::Bfloat16{});
  }
  GAUSSCSE_CHECK(tensor.scalar_type() == factor.scalar_type(), "factors are of the tensors' type, or bfloat16");
  return with_scalar_type(tensor, [&]<typename T>(T) { return function(T{}, T{}); });
}

/// Returns the data of a contiguous tensor, or null for an undefined one.
template <typename T>
T* data(at::Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  GAUSSCSE_CHECK(tensor.is_contiguous(), "kernels take contiguous tensors");
  if constexpr (std::is_same_v<T, kernels::Bfloat16>)
    return reinterpret_cast<T*>(tensor.mutable_data_ptr<at::BFloat16>());
  else
    return tensor.mutable_data_ptr<T>();
}

template <typename T>
const T* const_data(const at::Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  GAUSSCSE_CHECK(tensor.is_contiguous(), "kernels take contiguous tensors");
  if constexpr (std::is_same_v<T, kernels::Bfloat16>)
    return reinterpret_cast<const T*>(tensor.const_data_ptr<at::BFloat16>());
  else
    return tensor.const_data_ptr<T>();
}

inline const std::uint32_t* const_words(const at::Tensor& tensor) {
  return reinterpret_cast<const std::uint32_t*>(const_data<std::int32_t>(tensor));
}

}  // namespace gausscse::ops
