#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "launcher/machine/compute_device.hpp"

namespace gausscse {

/// GPU `number` of a machine that is not there.
inline Gpu gpu(int number, ComputeCapability capability = 90) {
  return {.name = capability >= 90 ? "NVIDIA H100" : "Tesla V100",
          .uuid = concat("GPU-", number),
          .pci = concat("0000:0", number, ":00.0"),
          .memory_mb = 81559 + number,
          .capability = capability};
}

/// Returns the inventory of a process that sees these GPUs, in a build for GPUs of compute capability 8.0 on.
inline GpuInventory inventory(std::vector<Gpu> gpus) {
  return {.state = GpuInventory::State::found,
          .gpus = std::move(gpus),
          .driver_version = 13010,
          .runtime_version = 13000,
          .least_capability = 80};
}

/// Returns the inventory of a process without a GPU.
inline GpuInventory none(GpuInventory::State state) {
  GpuInventory nothing = inventory({});
  nothing.state = state;
  return nothing;
}

}  // namespace gausscse
