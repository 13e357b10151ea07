#include "tests/experiments/training/device_of_goldens.hpp"
#include "tests/support/gpu.hpp"

namespace gausscse::testing_support {

const at::Device device_of_goldens(at::kCUDA, 0);

bool begin_to_use_device() {
  return begin_to_use_gpu();
}

}  // namespace gausscse::testing_support
