#pragma once

#include <ATen/core/Tensor.h>

#include <initializer_list>

namespace gausscse::ops {

/// A copy of the CPU's `tensor` on another device, for which this thread does not wait; on the CPU the tensor itself.
at::Tensor to_device(const at::Tensor& tensor, at::Device device);

/// Brings tensors of the CPU to another device, in a single copy; undefined ones stay so.
void move_to_device(std::initializer_list<at::Tensor*> tensors, at::Device device);

}  // namespace gausscse::ops
