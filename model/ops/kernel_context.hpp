#pragma once

#include <ATen/core/Tensor.h>

#include "model/kernels/kernels.hpp"

namespace gausscse::ops {

/// Where kernels over `tensor` run, with scratch memory that is this thread's.
kernels::KernelContext context_of(const at::Tensor& tensor);

}  // namespace gausscse::ops
