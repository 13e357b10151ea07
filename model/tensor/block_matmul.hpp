#pragma once

#include <cstdint>

#include "model/tensor/device.hpp"

/// Matmuls of blocks by a processor's tiles, which LibTorch has and builds without it do not.
namespace at::native::cpublas {

template <typename Left, typename Right, typename Sum>
[[noreturn]] void brgemm(std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, bool,
                         const Left*, const Right*, Sum*) {
  throw Error("a build without LibTorch does not multiply by tiles");
}
inline void brgemm_release() {}

}  // namespace at::native::cpublas
