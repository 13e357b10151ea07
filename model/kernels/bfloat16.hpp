#pragma once

#include <cstdint>

namespace gausscse::kernels {

/// A bfloat16 number: the upper half of a float32.
struct Bfloat16 {
  std::uint16_t bits;
};

}  // namespace gausscse::kernels
