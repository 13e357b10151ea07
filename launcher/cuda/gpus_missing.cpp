#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "base/error.hpp"
#include "launcher/machine/gpus.hpp"

// In place of gpus.cpp, in builds without CUDA.
namespace gausscse {

GpuInventory look_for_gpus() {
  GpuInventory inventory;
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) inventory.visible_devices = visible;
  for (int number = 0; number < 64; ++number) {
    std::string path = concat("/dev/nvidia", number);
    // Opening shows more than permissions: a job's control group may forbid a device.
    const int device = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (device < 0) continue;
    ::close(device);
    inventory.device_files.push_back(std::move(path));
  }
  return inventory;
}

void use_gpu(int) {
  throw std::logic_error("this build has no CUDA, but a rank was given a GPU");
}

}  // namespace gausscse
