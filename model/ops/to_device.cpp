#include "model/ops/to_device.hpp"

#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "model/ops/cuda/runtime.hpp"

namespace gausscse::ops {

namespace {

/// Where a tensor begins among others, so that it is aligned for any type.
constexpr std::int64_t alignment = 16;

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

at::Tensor to_device(const at::Tensor& tensor, at::Device device) {
  if (device.is_cpu()) return tensor;
  at::Tensor moved = tensor;
  move_to_device({&moved}, device);
  return moved;
}

void move_to_device(std::initializer_list<at::Tensor*> tensors, at::Device device) {
  if (device.is_cpu()) return;
  std::int64_t bytes = 0;
  for (const at::Tensor* tensor : tensors) {
    if (!tensor->defined()) continue;
    GAUSSCSE_CHECK(tensor->is_cpu(), "what is brought to a device is on the CPU");
    bytes += aligned(static_cast<std::int64_t>(tensor->nbytes()));
  }
  const at::Tensor host = cuda::pinned_memory({bytes}, at::kByte);
  std::int64_t offset = 0;
  const auto part_of = [&](const at::Tensor& all, const at::Tensor& tensor) {
    const auto count = static_cast<std::int64_t>(tensor.nbytes());
    at::Tensor part = all.narrow(0, offset, count).view(tensor.scalar_type()).view(tensor.sizes());
    offset += aligned(count);
    return part;
  };
  for (const at::Tensor* tensor : tensors)
    if (tensor->defined()) part_of(host, *tensor).copy_(*tensor);
  const at::Tensor there = host.to(device, /*non_blocking=*/true);
  offset = 0;
  for (at::Tensor* tensor : tensors)
    if (tensor->defined()) *tensor = part_of(there, *tensor);
}

}  // namespace gausscse::ops
