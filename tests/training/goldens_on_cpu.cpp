#include "tests/training/device_of_goldens.hpp"

namespace gausscse {

const at::Device device_of_goldens(at::kCPU);
const GoldenTolerances golden_tolerances{.loss = 2e-5, .gradient_norm = 2e-4, .weights = 2e-3, .pairs = 0};

bool begin_to_use_device() {
  return true;
}

}  // namespace gausscse
