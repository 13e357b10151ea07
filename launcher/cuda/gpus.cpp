#include "launcher/machine/gpus.hpp"

#include <ATen/Context.h>
#include <c10/cuda/CUDAFunctions.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>

#include "base/error.hpp"
#include "launcher/machine/mps_daemon.hpp"

namespace gausscse {

namespace {

std::string uuid_text(const cudaDeviceProp& properties) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof properties.uuid.bytes; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(properties.uuid.bytes[i]));
    text += digits;
    if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
  }
  return text;
}

std::string pci_text(const cudaDeviceProp& properties) {
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.0", static_cast<unsigned>(properties.pciDomainID),
                static_cast<unsigned>(properties.pciBusID), static_cast<unsigned>(properties.pciDeviceID));
  return text;
}

GpuInventory::State state_of(cudaError_t error, int driver_version) {
  using State = GpuInventory::State;
  switch (error) {
    case cudaSuccess:
      return State::found;
    case cudaErrorNoDevice:
      return State::none_visible;
    case cudaErrorStubLibrary:
      return State::no_driver;
    case cudaErrorInsufficientDriver:
      // CUDA says this of none, too.
      return driver_version == 0 ? State::no_driver : State::old_driver;
    default:
      return State::failed;
  }
}

/// Adds the properties of the first `count` devices by CUDA; the first error ends it and is returned.
cudaError_t add_gpus(int count, GpuInventory& inventory) {
  for (int number = 0; number < count; ++number) {
    cudaDeviceProp properties{};
    if (const cudaError_t error = cudaGetDeviceProperties(&properties, number); error != cudaSuccess) return error;
    inventory.gpus.push_back({.name = properties.name,
                              .uuid = uuid_text(properties),
                              .pci = pci_text(properties),
                              .memory_mb = static_cast<std::int64_t>(properties.totalGlobalMem >> 20),
                              .capability = 10 * properties.major + properties.minor});
  }
  for (int one = 0; one < count; ++one) {
    for (int other = one + 1; other < count; ++other) {
      int there = 0, back = 0;
      cudaError_t error = cudaDeviceCanAccessPeer(&there, one, other);
      if (error == cudaSuccess) error = cudaDeviceCanAccessPeer(&back, other, one);
      if (error != cudaSuccess) return error;
      if (there == 0 || back == 0) inventory.not_peers.emplace_back(one, other);
    }
  }
  return cudaSuccess;
}

}  // namespace

GpuInventory look_for_gpus() {
  GpuInventory inventory;
  inventory.least_capability = GAUSSCSE_LEAST_COMPUTE_CAPABILITY;
  inventory.is_mps_served = is_mps_served();
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) inventory.visible_devices = visible;
  cudaRuntimeGetVersion(&inventory.runtime_version);
  if (cudaDriverGetVersion(&inventory.driver_version) != cudaSuccess) inventory.driver_version = 0;
  int count = 0;
  cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess) error = add_gpus(count, inventory);
  inventory.state = state_of(error, inventory.driver_version);
  if (error != cudaSuccess) {
    inventory.gpus.clear();
    inventory.not_peers.clear();
    inventory.failure = concat(cudaGetErrorName(error), ": ", cudaGetErrorString(error));
    // CUDA would give the error to the next call that asks for the last one.
    static_cast<void>(cudaGetLastError());
  }
  return inventory;
}

void use_gpu(int number) {
  // cuBLAS needs this for the same bits from run to run; it reads the variable when it is first asked for a product.
  ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);
  at::globalContext().setAllowBF16ReductionCuBLAS(false);
  at::globalContext().setFloat32MatmulPrecision("highest");
  c10::cuda::set_device(static_cast<c10::DeviceIndex>(number));
}

}  // namespace gausscse
