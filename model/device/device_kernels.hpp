#pragma once

#include <ATen/core/Tensor.h>

#include <type_traits>

#include "base/error.hpp"
#include "model/kernels/kernels.hpp"

namespace gausscse::ops {

/// Returns the kernels of the device that `tensor` is on.
template <typename T, typename Factor = T>
const kernels::Kernels<T, Factor>& kernels_for(const at::Tensor& tensor);
template <>
const kernels::Kernels<float>& kernels_for<float>(const at::Tensor& tensor);
template <>
const kernels::Kernels<float, kernels::Bfloat16>& kernels_for<float, kernels::Bfloat16>(const at::Tensor& tensor);
template <>
const kernels::Kernels<double>& kernels_for<double>(const at::Tensor& tensor);

/// Returns the context of kernels over `tensor`, with scratch memory that is this thread's.
kernels::KernelContext context_of(const at::Tensor& tensor);

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

/// The type that a tensor holds numbers of type T as.
template <typename T>
struct Stored {
  using type = T;
};
template <>
struct Stored<std::uint32_t> {
  using type = std::int32_t;
};
template <>
struct Stored<kernels::Bfloat16> {
  using type = at::BFloat16;
};

/// Returns the data of a contiguous tensor, or null for an undefined one; those of `const T` are read alone.
template <typename T>
T* data(const at::Tensor& tensor) {
  using Element = typename Stored<std::remove_const_t<T>>::type;
  if (!tensor.defined()) return nullptr;
  GAUSSCSE_CHECK(tensor.is_contiguous(), "kernels take contiguous tensors");
  if constexpr (std::is_const_v<T>)
    return reinterpret_cast<T*>(tensor.const_data_ptr<Element>());
  else
    return reinterpret_cast<T*>(tensor.mutable_data_ptr<Element>());
}

}  // namespace gausscse::ops
