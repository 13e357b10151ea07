#pragma once

#include <ATen/core/Tensor.h>

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

/// Returns where kernels over `tensor` run, with scratch memory that is this thread's.
kernels::KernelContext context_of(const at::Tensor& tensor);

}  // namespace gausscse::ops
