#pragma once

#include <ATen/core/Tensor.h>

namespace gausscse::testing_support {

/// What train_trial_golden_test trains on; each program that has it says.
extern const at::Device device_of_goldens;

}  // namespace gausscse::testing_support
