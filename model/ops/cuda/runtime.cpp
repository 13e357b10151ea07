#include "model/ops/cuda/runtime.hpp"

#include <ATen/cuda/CUDAEvent.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAStream.h>

#include <map>

namespace gausscse::ops::cuda {

namespace {

/// Memory of one GPU, that only grows. What is given up goes back to LibTorch's allocator, which gives it to later work
/// of the same stream alone.
class DeviceScratch final : public kernels::ScratchMemory {
 public:
  explicit DeviceScratch(at::Device device) : device_(device) {}

  void* get(std::size_t bytes) override {
    const auto needed = static_cast<std::int64_t>(bytes);
    if (!memory_.defined() || memory_.numel() < needed) {
      memory_ = at::Tensor();
      memory_ = at::empty({needed}, at::TensorOptions(device_).dtype(at::kByte));
    }
    return memory_.mutable_data_ptr();
  }

 private:
  at::Device device_;
  at::Tensor memory_;
};

class RecordedEvent final : public QueuedWork {
 public:
  explicit RecordedEvent(at::Device device) { event_.record(c10::cuda::getCurrentCUDAStream(device.index())); }
  void wait() override { event_.synchronize(); }

 private:
  at::cuda::CUDAEvent event_{cudaEventDisableTiming};
};

}  // namespace

kernels::KernelContext context_of(const at::Tensor& tensor) {
  thread_local std::map<c10::DeviceIndex, DeviceScratch> scratch;
  const at::Device device = tensor.device();
  return {c10::cuda::getCurrentCUDAStream(device.index()).stream(),
          &scratch.try_emplace(device.index(), device).first->second};
}

at::Tensor pinned_memory(at::IntArrayRef sizes, at::ScalarType type) {
  return at::empty(sizes, at::TensorOptions().dtype(type).pinned_memory(true));
}

std::unique_ptr<QueuedWork> queued_work(at::Device device) {
  return std::make_unique<RecordedEvent>(device);
}

}  // namespace gausscse::ops::cuda
