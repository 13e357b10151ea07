#include "tests/experiments/training/device_of_goldens.hpp"

namespace gausscse::testing_support {

const at::Device device_of_goldens(at::kCPU);

}  // namespace gausscse::testing_support
