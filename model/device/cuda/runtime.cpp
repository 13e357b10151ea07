#include "model/device/cuda/runtime.hpp"

#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAStream.h>

#include <map>

#include "model/device/tensor_scratch.hpp"

namespace gausscse::ops::cuda {

kernels::KernelContext context_of(const at::Tensor& tensor) {
  thread_local std::map<c10::DeviceIndex, TensorScratch> scratch;
  const at::Device device = tensor.device();
  return {c10::cuda::getCurrentCUDAStream(device.index()).stream(),
          &scratch.try_emplace(device.index(), device).first->second};
}

at::Tensor pinned_memory(at::IntArrayRef sizes, at::ScalarType type) {
  return at::empty(sizes, at::TensorOptions().dtype(type).pinned_memory(true));
}

}  // namespace gausscse::ops::cuda
