#include "model/device/transfers.hpp"

#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <cstring>
#include <map>
#include <mutex>

#include "base/error.hpp"
#include "model/device/cuda/runtime.hpp"

namespace gausscse::ops {

namespace {

/// Bytes of which a tensor's place among others is a multiple, so that it is aligned for any type.
constexpr std::int64_t alignment = 16;

std::int64_t bytes_of(const at::Tensor& tensor) {
  return static_cast<std::int64_t>(tensor.nbytes());
}

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// Returns the bytes of `all` from `offset` on, as a tensor like `like`.
at::Tensor part(const at::Tensor& all, std::int64_t offset, const at::Tensor& like) {
  return all.narrow(0, offset, bytes_of(like)).view(like.scalar_type()).view(like.sizes());
}

/// Copies the tensors next to each other into memory of the host that a device can copy from; each becomes its part.
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

/// Returns one for all uploads to a device: LibTorch keeps freed memory for the stream that it was asked for on.
c10::Stream upload_stream(at::Device device) {
  static std::mutex mutex;
  static std::map<c10::DeviceIndex, c10::Stream> streams;
  const std::lock_guard lock(mutex);
  const auto found = streams.find(device.index());
  if (found != streams.end()) return found->second;
  const c10::Stream stream = c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device);
  return streams.emplace(device.index(), stream).first->second;
}

}  // namespace

at::Tensor to_device(const at::Tensor& tensor, at::Device device) {
  if (device.is_cpu()) return tensor;
  GAUSSCSE_CHECK(tensor.is_cpu(), "what is brought to a device is on the CPU");
  at::Tensor pinned = cuda::pinned_memory(tensor.sizes(), tensor.scalar_type());
  pinned.copy_(tensor);
  return pinned.to(device, /*non_blocking=*/true);
}

HostCopy::HostCopy(const at::Tensor& tensor) {
  if (tensor.is_cpu()) {
    values_ = tensor.clone();
    return;
  }
  values_ = cuda::pinned_memory(tensor.sizes(), tensor.scalar_type());
  values_.copy_(tensor, /*non_blocking=*/true);
  copied_.emplace(tensor.device().type())
      .record(c10::impl::VirtualGuardImpl(tensor.device().type()).getStream(tensor.device()));
}

const at::Tensor& HostCopy::get() {
  if (copied_) copied_->synchronize();
  copied_.reset();
  return values_;
}

Upload::Upload(const std::vector<at::Tensor*>& tensors, at::Device device)
    : staged_(stage(tensors)), copied_(device.type()) {
  const c10::Stream stream = upload_stream(device);
  const c10::StreamGuard guard(stream);
  there_ = at::empty(staged_.sizes(), staged_.options().device(device));
  there_.copy_(staged_, /*non_blocking=*/true);
  copied_.record(stream);
}

void Upload::arrive(const std::vector<at::Tensor*>& tensors) const {
  const c10::DeviceGuard guard(there_.device());
  const c10::impl::VirtualGuardImpl device(there_.device().type());
  const c10::Stream current = device.getStream(there_.device());
  copied_.block(current);
  // When it is freed, work that is queued here may not be through with it yet.
  device.recordDataPtrOnStream(there_.storage().data_ptr(), current);
  for (at::Tensor* tensor : tensors) {
    if (!tensor->defined()) continue;
    GAUSSCSE_CHECK(tensor->is_alias_of(staged_), "a tensor is not among those that were uploaded");
    const std::int64_t offset = tensor->storage_offset() * tensor->element_size();
    *tensor = part(there_, offset, *tensor);
  }
}

}  // namespace gausscse::ops
