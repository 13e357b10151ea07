#include "model/ops/tensor_scratch.hpp"

#include <ATen/ops/empty.h>

namespace gausscse::ops {

void* TensorScratch::get(std::size_t bytes) {
  const auto needed = static_cast<std::int64_t>(bytes);
  if (!memory_.defined() || memory_.numel() < needed) {
    memory_ = at::Tensor();
    memory_ = at::empty({needed}, at::TensorOptions(device_).dtype(at::kByte));
  }
  return memory_.mutable_data_ptr();
}

}  // namespace gausscse::ops
