#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <exception>

namespace gausscse::ops {

/// Returns whether an error says that the host's or a GPU's memory was refused: std::bad_alloc, LibTorch's for either,
/// and the words of CUDA (a kernel's start), cuBLASLt and NCCL.
bool is_memory_refused(const std::exception& error);

/// Gives the memory that LibTorch keeps for later tensors of a device back to it, where other processes and libraries
/// find it. Does nothing on the CPU.
void release_cached_memory(at::Device device);

/// Memory that this process took of a device, and that the device has, in bytes.
struct DeviceMemory {
  std::int64_t most_taken = 0;  ///< the most at any time, with memory that LibTorch kept for later tensors
  std::int64_t total = 0;
  bool operator==(const DeviceMemory&) const = default;
};

/// Returns the memory of a GPU; zeros of the CPU.
DeviceMemory device_memory(at::Device device);

}  // namespace gausscse::ops
