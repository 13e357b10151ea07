#include "model/device/cuda/runtime.hpp"

#include <ATen/ops/empty.h>

#include <atomic>
#include <cstddef>

#include "tests/support/pretended_gpu/memory.hpp"

namespace gausscse {

namespace {

/// New at every call and no larger than was asked for, so that it holds nothing that an earlier kernel left.
class GpuScratch final : public kernels::ScratchMemory {
 public:
  void* get(std::size_t bytes) override {
    memory_ = at::Tensor();  // as on a GPU: its earlier memory is given back first
    memory_ =
        at::empty({static_cast<std::int64_t>(bytes)}, at::TensorOptions(at::Device(at::kCUDA, 0)).dtype(at::kByte));
    return memory_.mutable_data_ptr();
  }
  std::size_t bytes() const override { return memory_.defined() ? memory_.nbytes() : 0; }

 private:
  at::Tensor memory_;
};

}  // namespace

// These stand in for model/device/cuda/runtime.cpp.
namespace ops::cuda {

kernels::KernelContext context_of(const at::Tensor&) {
  thread_local GpuScratch scratch;
  return {nullptr, &scratch};
}

at::Tensor pinned_memory(at::IntArrayRef sizes, at::ScalarType type) {
  // Batches are prepared by another thread.
  ++std::atomic_ref(pretended_gpu::counts().pinned_memories);
  return at::empty(sizes, type);
}

}  // namespace ops::cuda

}  // namespace gausscse
