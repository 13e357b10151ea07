#include "tests/experiments/training/device_of_goldens.hpp"

namespace gausscse::testing_support {

const at::Device device_of_goldens(at::kCPU);

bool begin_to_use_device() {
  return true;
}

}  // namespace gausscse::testing_support
