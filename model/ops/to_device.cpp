#include "model/ops/to_device.hpp"

#include <cstdint>
#include <cstring>

#include "base/error.hpp"
#include "model/ops/cuda/runtime.hpp"

namespace gausscse::ops {

namespace {

/// Where a tensor begins among others, so that it is aligned for any type.
constexpr std::int64_t alignment = 16;

std::int64_t bytes_of(const at::Tensor& tensor) {
  return static_cast<std::int64_t>(tensor.nbytes());
}

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// The bytes of `all` from `offset` on, as a tensor like `like`.
at::Tensor part(const at::Tensor& all, std::int64_t offset, const at::Tensor& like) {
  return all.narrow(0, offset, bytes_of(like)).view(like.scalar_type()).view(like.sizes());
}

}  // namespace

at::Tensor to_device(const at::Tensor& tensor, at::Device device) {
  if (device.is_cpu()) return tensor;
  at::Tensor moved = tensor;
  const at::Tensor staged = stage({&moved});
  bring_staged(staged, {&moved}, device);
  return moved;
}

at::Tensor stage(const std::vector<at::Tensor*>& tensors) {
  std::int64_t bytes = 0;
  for (const at::Tensor* tensor : tensors) {
    if (!tensor->defined()) continue;
    GAUSSCSE_CHECK(tensor->is_cpu(), "what is brought to a device is on the CPU");
    bytes += aligned(bytes_of(*tensor));
  }
  at::Tensor staged = cuda::pinned_memory({bytes}, at::kByte);
  std::int64_t offset = 0;
  for (at::Tensor* tensor : tensors) {
    if (!tensor->defined()) continue;
    // Not an operator's copy, which would start threads for large tensors.
    const at::Tensor values = tensor->contiguous();
    if (values.numel() > 0)
      std::memcpy(staged.mutable_data_ptr<std::uint8_t>() + offset, values.const_data_ptr(), values.nbytes());
    *tensor = part(staged, offset, values);
    offset += aligned(bytes_of(values));
  }
  return staged;
}

void bring_staged(const at::Tensor& staged, const std::vector<at::Tensor*>& tensors, at::Device device) {
  const at::Tensor there = staged.to(device, /*non_blocking=*/true);
  for (at::Tensor* tensor : tensors) {
    if (!tensor->defined()) continue;
    GAUSSCSE_CHECK(tensor->is_alias_of(staged), "a tensor is not among those that were staged");
    const std::int64_t offset = tensor->storage_offset() * tensor->element_size();
    *tensor = part(there, offset, *tensor);
  }
}

}  // namespace gausscse::ops
