#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <cstdint>

namespace gausscse {

/// A matrix whose memory is kept from step to step and only grows: fresh memory costs page faults.
class ReusedMatrix {
 public:
  /// An uninitialised [rows, columns] matrix; valid until the next call.
  at::Tensor get(std::int64_t rows, std::int64_t columns, at::ScalarType type) {
    const std::int64_t needed = rows * columns;
    if (!memory_.defined() || memory_.scalar_type() != type || memory_.numel() < needed) {
      memory_ = at::Tensor();
      // A tenth more, so that batches of slightly growing length do not allocate each time.
      memory_ = at::empty({needed + needed / 10}, type);
    }
    return memory_.narrow(0, 0, needed).view({rows, columns});
  }

 private:
  at::Tensor memory_;
};

}  // namespace gausscse
