#include "model/ops/to_device.hpp"

#include "base/error.hpp"
#include "model/ops/cuda/runtime.hpp"

namespace gausscse::ops {

at::Tensor to_device(const at::Tensor& tensor, at::Device device) {
  if (device.is_cpu()) return tensor;
  GAUSSCSE_CHECK(tensor.is_cpu(), "what is brought to a device is on the CPU");
  at::Tensor pinned = cuda::pinned_memory(tensor.sizes(), tensor.scalar_type());
  pinned.copy_(tensor);
  return pinned.to(device, /*non_blocking=*/true);
}

}  // namespace gausscse::ops
