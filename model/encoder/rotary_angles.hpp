#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace gausscse {

/// Angles of rotary positions, made as far as they are needed.
class RotaryAngles {
 public:
  /// Returns [at least `positions`, head_size]: in row p the cosines and then the sines of p / base^(2 i / head_size),
  /// i from 0 to head_size / 2 - 1. A call must have the same arguments as the first but for `positions`.
  at::Tensor get(std::int64_t positions, double base, std::int64_t head_size, const at::TensorOptions& options);

 private:
  at::Tensor angles_;
};

}  // namespace gausscse
