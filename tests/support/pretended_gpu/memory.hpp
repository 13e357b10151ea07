#pragma once

#include <c10/core/CachingDeviceAllocator.h>

#include <cstdint>

/// A GPU that is not there: LibTorch's device type CUDA, in programs without libtorch_cuda. Its memory is this
/// process's, but may only be touched through operators, copies and kernels: anything else ends the program, as it does
/// where a host reads a GPU's memory. Operators compute on the CPU, kernels are the GPU's in the harness of
/// cuda_on_cpu.
namespace gausscse::pretended_gpu {

/// Lets this process touch the GPU's memory while it lives, as kernels and operators do. May be nested.
class Access {
 public:
  Access();
  ~Access();
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;
};

/// Memory of the GPU, every byte 0xFF at first, which is NaN in every floating-point type.
c10::DeviceAllocator& allocator();

/// Returns whether these bytes belong to one tensor.
bool is_allocated(const void* begin, std::size_t bytes);

/// From now on more than `bytes` of it are refused, as LibTorch refuses a GPU's; 0: only more than it has.
void limit_memory(std::size_t bytes);
/// Refuses the request of memory with this number (1: the next), and no other; 0: none.
void refuse_request(std::int64_t number);
/// Requests since `refuse_request`.
std::int64_t requests();
/// Bytes that tensors held when memory was last refused.
std::size_t bytes_held_at_refusal();

/// Numbers of contacts of a host with the GPU since the program began.
struct Counts {
  /// For the GPU: copies to the host that block, single values, queued work that was not done when it was waited for.
  std::int64_t waits = 0;
  std::int64_t copies_to_gpu = 0;
  std::int64_t copies_to_host = 0;
  /// Requests to the allocator to keep memory which another stream made until the default one has used it.
  std::int64_t kept_for_the_default_stream = 0;
  std::int64_t pinned_memories = 0;  ///< made, for copies to and from the GPU
  std::int64_t emptied_caches = 0;   ///< requests to the allocator to give back its free memory
  std::int64_t kernels = 0;          ///< calls of the table's kernels
};
Counts& counts();

}  // namespace gausscse::pretended_gpu
