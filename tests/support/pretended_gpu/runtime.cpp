#include "model/ops/cuda/runtime.hpp"

#include <ATen/ops/empty.h>

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

#include "tests/support/pretended_gpu/memory.hpp"
#include "tests/support/pretended_gpu/queue.hpp"

namespace gausscse {

namespace {

using Copies = std::vector<std::pair<at::Tensor, at::Tensor>>;

/// Copies to the host that nobody has waited for, in order.
Copies& queued_copies() {
  static Copies all;
  return all;
}

std::size_t& done_copies() {
  static std::size_t count = 0;
  return count;
}

/// New at every call and no larger than was asked for, so that it holds nothing that an earlier kernel left.
class GpuScratch final : public kernels::ScratchMemory {
 public:
  void* get(std::size_t bytes) override {
    memory_ = at::Tensor();  // as on a GPU: what it was before is given back first
    memory_ =
        at::empty({static_cast<std::int64_t>(bytes)}, at::TensorOptions(at::Device(at::kCUDA, 0)).dtype(at::kByte));
    return memory_.mutable_data_ptr();
  }
  std::size_t bytes() const override { return memory_.defined() ? memory_.nbytes() : 0; }

 private:
  at::Tensor memory_;
};

/// The copies that were queued before it.
class QueuedCopies final : public ops::cuda::QueuedWork {
 public:
  QueuedCopies() : end_(queued_copies().size()) {}

  void wait() override {
    if (done_copies() < end_) ++pretended_gpu::counts().waits;
    for (; done_copies() < end_; ++done_copies()) {
      auto& [to, values] = queued_copies()[done_copies()];
      to.copy_(values);
      to = values = at::Tensor();
    }
  }

 private:
  std::size_t end_;
};

}  // namespace

void pretended_gpu::queue_copy(const at::Tensor& to, const at::Tensor& values) {
  queued_copies().emplace_back(to, values);
}

// These stand in for model/ops/cuda/runtime.cpp.
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

std::unique_ptr<QueuedWork> queued_work(at::Device) {
  return std::make_unique<QueuedCopies>();
}

}  // namespace ops::cuda

}  // namespace gausscse
