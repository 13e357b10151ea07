#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "tests/support/cuda_on_cpu/block.hpp"

namespace cuda_on_cpu {

/// Size of a launch: `blocks_x` times `blocks_y` blocks of `threads` threads, each block with this much shared memory.
struct LaunchSize {
  std::int64_t blocks_x = 1, blocks_y = 1;
  unsigned threads = 32;
  std::size_t shared_bytes = 0;
};

/// Decides the order of blocks, and of threads between barriers, in the launches to come.
void set_order(std::uint32_t seed);

/// Runs `kernel` in every thread of every block, blocks side by side on two OS threads. Throws KernelError where the
/// size is none that a GPU takes, and the error of a thread, with the blocks not yet begun left out.
void run_grid(const LaunchSize& size, const std::function<void()>& kernel);

}  // namespace cuda_on_cpu
