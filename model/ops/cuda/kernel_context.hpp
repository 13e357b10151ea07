#pragma once

#include <ATen/core/Tensor.h>

#include "model/kernels/kernels.hpp"

namespace gausscse::ops::cuda {

/// Where kernels over `tensor`, which is on a GPU, run: on the stream that LibTorch's own work of this thread runs on.
/// Throws std::logic_error in a build without CUDA.
kernels::KernelContext context_of(const at::Tensor& tensor);

}  // namespace gausscse::ops::cuda
