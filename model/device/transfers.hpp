#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace gausscse::ops {

/// Returns a copy of the CPU's `tensor` on another device, for which this thread does not wait; on the CPU the tensor
/// itself.
at::Tensor to_device(const at::Tensor& tensor, at::Device device);

/// A tensor on its way to the host. Work that is queued behind it may overwrite the tensor.
class HostCopy {
 public:
  /// Queues the copy; only a CPU's tensor is copied at once.
  explicit HostCopy(const at::Tensor& tensor);

  /// Waits for the copy, not for work queued behind it.
  const at::Tensor& get();

 private:
  at::Tensor values_;
  std::optional<c10::Event> copied_;  ///< until it was waited for
};

/// Tensors on their way from the CPU to a device, next to each other in a single copy on its own stream. The host never
/// waits for it; the device's work waits for it from `arrive` on.
class Upload {
 public:
  /// Queues the copy. Each of `tensors` becomes its part of the host's memory from which the device takes them;
  /// undefined ones stay so. May be called by any thread, and starts none.
  Upload(const std::vector<at::Tensor*>& tensors, at::Device device);

  /// Makes each of `tensors`, which are parts of that memory of the host, its part of the device's. Work that this
  /// thread queues there from now on waits for the copy. May be called more than once.
  void arrive(const std::vector<at::Tensor*>& tensors) const;

  /// Returns the bytes of the device's memory that the copy takes, until this object and all tensors that arrived are
  /// gone.
  std::int64_t bytes() const { return static_cast<std::int64_t>(there_.nbytes()); }

 private:
  at::Tensor staged_;  ///< on the host
  at::Tensor there_;
  c10::Event copied_;
};

}  // namespace gausscse::ops
