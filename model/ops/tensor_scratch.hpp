#pragma once

#include <ATen/core/Tensor.h>

#include "model/kernels/kernels.hpp"

namespace gausscse::ops {

/// Memory of a device that only grows. What is given up goes back to LibTorch's allocator first, which, on a GPU, gives
/// it to later work of the same stream alone.
class TensorScratch final : public kernels::ScratchMemory {
 public:
  explicit TensorScratch(at::Device device) : device_(device) {}

  void* get(std::size_t bytes) override;
  std::size_t bytes() const override { return memory_.defined() ? memory_.nbytes() : 0; }

 private:
  at::Device device_;
  at::Tensor memory_;
};

}  // namespace gausscse::ops
