#include <stdexcept>

#include "benchmarks/gpu/device_rates.hpp"

// In place of gpu_properties.cpp, in builds without CUDA.
namespace gausscse::benchmarks {

GpuProperties gpu_properties(at::Device) {
  throw std::logic_error("this build has no CUDA, but the benchmark needs a GPU");
}

}  // namespace gausscse::benchmarks
