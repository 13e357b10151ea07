#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "model/kernels/kernels.hpp"

// Requests of this program to CUDA besides LibTorch's operators and its own kernels. In a build without CUDA every
// function throws std::logic_error.
namespace gausscse::ops::cuda {

/// Returns where kernels over `tensor`, which is on a GPU, run: on the stream that LibTorch's own work of this thread
/// runs on.
kernels::KernelContext context_of(const at::Tensor& tensor);

/// Returns uninitialised host memory that a GPU copies from and to while this thread goes on.
at::Tensor pinned_memory(at::IntArrayRef sizes, at::ScalarType type);

/// Work that this thread had queued for a GPU when the object was made.
class QueuedWork {
 public:
  virtual ~QueuedWork() = default;
  /// Waits until all of it is done.
  virtual void wait() = 0;
};
std::unique_ptr<QueuedWork> queued_work(at::Device device);

}  // namespace gausscse::ops::cuda
