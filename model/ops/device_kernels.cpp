#include "model/ops/device_kernels.hpp"

#include <ATen/ops/empty.h>

#include "base/error.hpp"
#include "model/kernels/cuda/table.hpp"
#include "model/ops/cuda/runtime.hpp"

namespace gausscse::ops {

using kernels::Bfloat16;
using kernels::Kernels;

namespace {

/// Memory that only grows.
class HostScratch final : public kernels::ScratchMemory {
 public:
  void* get(std::size_t bytes) override {
    const auto needed = static_cast<std::int64_t>(bytes);
    if (!memory_.defined() || memory_.numel() < needed) memory_ = at::empty({needed}, at::kByte);
    return memory_.mutable_data_ptr();
  }

 private:
  at::Tensor memory_;
};

}  // namespace

template <>
const Kernels<float>& kernels_for<float>(const at::Tensor& tensor) {
  return tensor.is_cuda() ? kernels::cuda::float_kernels() : kernels::kernel_table<float>();
}

template <>
const Kernels<float, Bfloat16>& kernels_for<float, Bfloat16>(const at::Tensor& tensor) {
  return tensor.is_cuda() ? kernels::cuda::bfloat16_kernels() : kernels::kernel_table<float, Bfloat16>();
}

template <>
const Kernels<double>& kernels_for<double>(const at::Tensor& tensor) {
  GAUSSCSE_CHECK(tensor.is_cpu(), "float64 is for tests, on CPUs");
  return kernels::kernel_table<double>();
}

kernels::KernelContext context_of(const at::Tensor& tensor) {
  if (tensor.is_cuda()) return cuda::context_of(tensor);
  thread_local HostScratch scratch;
  return {nullptr, &scratch};
}

}  // namespace gausscse::ops
