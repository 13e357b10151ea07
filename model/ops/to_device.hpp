#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace gausscse::ops {

/// A copy of the CPU's `tensor` on another device, for which this thread does not wait; on the CPU the tensor itself.
at::Tensor to_device(const at::Tensor& tensor, at::Device device);

/// Copies tensors of the CPU beside each other into memory from which a device takes them while the host goes on. Each
/// becomes its part of that memory, which is returned; undefined ones stay so. May be called by any thread, and starts
/// none.
at::Tensor stage(const std::vector<at::Tensor*>& tensors);

/// Brings tensors that `stage` put into `staged` to a device, in a single copy for which this thread does not wait.
void bring_staged(const at::Tensor& staged, const std::vector<at::Tensor*>& tensors, at::Device device);

}  // namespace gausscse::ops
