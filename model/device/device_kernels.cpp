#include "model/device/device_kernels.hpp"

#include "base/error.hpp"
#include "model/device/cuda/runtime.hpp"
#include "model/device/tensor_scratch.hpp"
#include "model/kernels/cuda/table.hpp"

namespace gausscse::ops {

using kernels::Bfloat16;
using kernels::Kernels;

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
  thread_local TensorScratch scratch(at::kCPU);
  return {nullptr, &scratch};
}

}  // namespace gausscse::ops
