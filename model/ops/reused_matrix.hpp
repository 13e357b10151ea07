#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <initializer_list>

namespace gausscse {

/// A matrix whose memory is kept from step to step and only grows: fresh memory costs page faults.
class ReusedMatrix {
 public:
  /// Returns an uninitialised [rows, columns] matrix of this type, on this device; valid until the next call.
  at::Tensor get(std::int64_t rows, std::int64_t columns, const at::TensorOptions& options);
  std::int64_t bytes() const { return memory_.defined() ? static_cast<std::int64_t>(memory_.nbytes()) : 0; }

 private:
  at::Tensor memory_;
};

/// Returns the bytes of all of them.
std::int64_t bytes_of(std::initializer_list<const ReusedMatrix*> matrices);

}  // namespace gausscse
