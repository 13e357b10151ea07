#pragma once

#include <ATen/core/Tensor.h>

#include "model/kernels/kernels.hpp"

// Requests of this program to CUDA besides LibTorch's operators and its own kernels. In a build without CUDA every
// function throws std::logic_error.
namespace gausscse::ops::cuda {

/// Returns the context of kernels over `tensor`, which is on a GPU: the stream that LibTorch's own work of this thread
/// runs on.
kernels::KernelContext context_of(const at::Tensor& tensor);

/// Returns uninitialised host memory that a GPU copies from and to while this thread goes on.
at::Tensor pinned_memory(at::IntArrayRef sizes, at::ScalarType type);

}  // namespace gausscse::ops::cuda
