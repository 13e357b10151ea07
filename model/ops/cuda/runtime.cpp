#include "model/ops/cuda/runtime.hpp"

#include <ATen/cuda/CUDAEvent.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAStream.h>

#include <map>

#include "model/ops/tensor_scratch.hpp"

namespace gausscse::ops::cuda {

namespace {

class RecordedEvent final : public QueuedWork {
 public:
  explicit RecordedEvent(at::Device device) { event_.record(c10::cuda::getCurrentCUDAStream(device.index())); }
  void wait() override { event_.synchronize(); }

 private:
  at::cuda::CUDAEvent event_{cudaEventDisableTiming};
};

}  // namespace

kernels::KernelContext context_of(const at::Tensor& tensor) {
  thread_local std::map<c10::DeviceIndex, TensorScratch> scratch;
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
