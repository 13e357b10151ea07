#pragma once

#include <ATen/core/Tensor.h>

namespace gausscse::ops {

/// Returns a copy of the CPU's `tensor` on another device, for which this thread does not wait; on the CPU the tensor
/// itself.
at::Tensor to_device(const at::Tensor& tensor, at::Device device);

}  // namespace gausscse::ops
