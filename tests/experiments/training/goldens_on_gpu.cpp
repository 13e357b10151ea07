#include "tests/experiments/training/device_of_goldens.hpp"
#include "tests/support/gpu.hpp"

namespace gausscse::testing_support {

const at::Device device_of_goldens(at::kCUDA, 0);

#ifdef GAUSSCSE_PRODUCTS_OF_A_GPU
const GoldenTolerances golden_tolerances{.loss = 2e-4, .gradient_norm = 2e-3, .weights = 2e-2, .pairs = 1};
#else
// A pretended GPU has the CPU's products.
const GoldenTolerances golden_tolerances{.loss = 2e-5, .gradient_norm = 2e-4, .weights = 2e-3, .pairs = 0};
#endif

bool begin_to_use_device() {
  return begin_to_use_gpu();
}

}  // namespace gausscse::testing_support
