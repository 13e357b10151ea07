#pragma once

#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

namespace gausscse::testing_support {

/// What trainings of these tests run on; each program that has them says.
extern const at::Device device_of_goldens;

/// Whether it is there; a GPU is used from then on as the program uses it.
bool begin_to_use_device();

}  // namespace gausscse::testing_support

/// For SetUp.
#define GAUSSCSE_SKIP_WITHOUT_DEVICE() \
  if (!gausscse::testing_support::begin_to_use_device()) GTEST_SKIP() << "needs a GPU, and a build with CUDA"
