#pragma once

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

#include "launcher/gpus.hpp"

namespace gausscse::testing_support {

/// The GPU that tests labelled `gpu` compute on.
inline const at::Device gpu(at::kCUDA, 0);

/// Whether there is one: a pretended one is always there. It is then used as the program uses one.
inline bool begin_to_use_gpu() {
#ifdef GAUSSCSE_PRETENDED_GPU
  return true;
#else
  if (!at::globalContext().hasCUDA()) return false;
  use_gpu(gpu.index());
  return true;
#endif
}

}  // namespace gausscse::testing_support

/// For SetUp.
#define GAUSSCSE_SKIP_WITHOUT_GPU() \
  if (!gausscse::testing_support::begin_to_use_gpu()) GTEST_SKIP() << "needs a GPU, and a build with CUDA"
