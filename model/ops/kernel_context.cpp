#include "model/ops/kernel_context.hpp"

#include <ATen/ops/empty.h>

#include "base/error.hpp"

namespace gausscse::ops {

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

kernels::KernelContext context_of(const at::Tensor& tensor) {
  GAUSSCSE_CHECK(tensor.is_cpu(), "tensors are on the CPU");
  thread_local HostScratch scratch;
  return {nullptr, &scratch};
}

}  // namespace gausscse::ops
