#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace gausscse {

/// A matrix whose memory is kept from step to step and only grows: fresh memory costs page faults.
class ReusedMatrix {
 public:
  /// An uninitialised [rows, columns] matrix of this type, on this device; valid until the next call.
  at::Tensor get(std::int64_t rows, std::int64_t columns, const at::TensorOptions& options);

 private:
  at::Tensor memory_;
};

}  // namespace gausscse
