#include "model/ops/host_copy.hpp"

namespace gausscse::ops {

HostCopy::HostCopy(const at::Tensor& tensor) {
  if (tensor.is_cpu()) {
    values_ = tensor.clone();
    return;
  }
  values_ = cuda::pinned_memory(tensor.sizes(), tensor.scalar_type());
  values_.copy_(tensor, /*non_blocking=*/true);
  queued_ = cuda::queued_work(tensor.device());
}

const at::Tensor& HostCopy::get() {
  if (queued_) queued_->wait();
  queued_.reset();
  return values_;
}

}  // namespace gausscse::ops
