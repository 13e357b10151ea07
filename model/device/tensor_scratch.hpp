#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include "model/kernels/kernels.hpp"

namespace gausscse::ops {

/// Memory of a device that only grows. Memory that is given up goes back to LibTorch's allocator first, which, on a
/// GPU, gives it to later work of the same stream alone.
class TensorScratch final : public kernels::ScratchMemory {
 public:
  explicit TensorScratch(at::Device device) : device_(device) {}

  void* get(std::size_t bytes) override {
    const auto needed = static_cast<std::int64_t>(bytes);
    if (!memory_.defined() || memory_.numel() < needed) {
      memory_ = at::Tensor();
      memory_ = at::empty({needed}, at::TensorOptions(device_).dtype(at::kByte));
    }
    return memory_.mutable_data_ptr();
  }
  std::size_t bytes() const override { return memory_.defined() ? memory_.nbytes() : 0; }

 private:
  at::Device device_;
  at::Tensor memory_;
};

}  // namespace gausscse::ops
