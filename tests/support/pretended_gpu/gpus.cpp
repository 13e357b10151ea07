#include "launcher/machine/gpus.hpp"

// In place of launcher/cuda/gpus.cpp.
namespace gausscse {

GpuInventory look_for_gpus() {
  GpuInventory inventory;
  inventory.state = GpuInventory::State::found;
  inventory.gpus.resize(1);
  return inventory;
}

void use_gpu(int) {}

}  // namespace gausscse
