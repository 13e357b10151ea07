#include <cuda_runtime_api.h>

#include <stdexcept>

#include "benchmarks/gpu/device_rates.hpp"

namespace gausscse::benchmarks {

namespace {

void check(cudaError_t code) {
  if (code != cudaSuccess)
    throw std::runtime_error(std::string("CUDA does not describe this GPU: ") + cudaGetErrorString(code));
}

int attribute(cudaDeviceAttr of, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, of, device));
  return value;
}

}  // namespace

GpuProperties gpu_properties(at::Device device) {
  const int index = device.index();
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, index));
  GpuProperties gpu;
  gpu.name = properties.name;
  gpu.compute_capability = std::to_string(properties.major) + '.' + std::to_string(properties.minor);
  gpu.multiprocessors = properties.multiProcessorCount;
  // CUDA C++ Programming Guide, throughput of arithmetic: 64 for 7.x and 8.0, 128 for later ones.
  gpu.float32_lanes = properties.major < 8 || (properties.major == 8 && properties.minor == 0) ? 64 : 128;
  gpu.clock_hz = 1e3 * attribute(cudaDevAttrClockRate, index);
  check(cudaRuntimeGetVersion(&gpu.runtime_version));
  check(cudaDriverGetVersion(&gpu.driver_version));
  return gpu;
}

}  // namespace gausscse::benchmarks
