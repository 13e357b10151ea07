#pragma once

#include <ATen/core/Tensor.h>

#include "tests/support/testing.hpp"

namespace gausscse {

/// Device of the trainings of these tests; each program that has them sets it.
extern const at::Device device_of_goldens;

/// Differences that trainings on this device may have from the goldens. Other libraries add up the same products in
/// another order, and so round otherwise.
struct GoldenTolerances {
  double loss, gradient_norm;  ///< as a share of the golden's
  double weights;              ///< as a share of how far training moved a tensor
  int pairs;                   ///< pairs of dev that may change places or labels
};
extern const GoldenTolerances golden_tolerances;

/// Returns whether it is there; a GPU is used from then on as the program uses it.
bool begin_to_use_device();

}  // namespace gausscse

/// For SetUp.
#define GAUSSCSE_SKIP_WITHOUT_DEVICE() \
  if (!gausscse::begin_to_use_device()) GTEST_SKIP() << "needs a GPU, and a build with CUDA"
