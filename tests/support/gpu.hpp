#pragma once

#include <ATen/core/Tensor.h>

#include "launcher/machine/gpus.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

/// The GPU that tests labelled `gpu` compute on.
inline const at::Device gpu(at::kCUDA, 0);

/// Returns whether there is one, which is then used as the program uses it.
inline bool begin_to_use_gpu() {
  if (look_for_gpus().gpus.empty()) return false;
  use_gpu(gpu.index());
  return true;
}

}  // namespace gausscse

/// For SetUp.
#define GAUSSCSE_SKIP_WITHOUT_GPU() \
  if (!gausscse::begin_to_use_gpu()) GTEST_SKIP() << "needs a GPU, and a build with CUDA"
