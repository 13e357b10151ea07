#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "model/ops/cuda/runtime.hpp"

namespace gausscse::ops {

/// A tensor on its way to the host. Work that is queued behind it may overwrite the tensor.
class HostCopy {
 public:
  /// Queues the copy; only a CPU's tensor is copied at once.
  explicit HostCopy(const at::Tensor& tensor);

  /// Waits for the copy, not for what was queued behind it.
  const at::Tensor& get();

 private:
  at::Tensor values_;
  std::unique_ptr<cuda::QueuedWork> queued_;  ///< until it was waited for
};

}  // namespace gausscse::ops
