#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "benchmarks/gpu/case_timer.hpp"

namespace gausscse::benchmarks {

/// Properties of a GPU, as CUDA reports them.
struct GpuProperties {
  std::string name;
  std::string compute_capability;
  int multiprocessors;
  int float32_lanes;                    ///< multiplications with addition a cycle of a multiprocessor
  double clock_hz;                      ///< the highest of its multiprocessors
  int runtime_version, driver_version;  ///< versions of CUDA, as 13000
};

/// Throws std::logic_error in a build without CUDA.
GpuProperties gpu_properties(at::Device device);

/// Rates that floors are made of.
struct DeviceRates {
  double bytes_per_second;  ///< read and written by a large copy, measured
  double
      /// Float32 operations, two for a multiplication with addition; 0 on a CPU, where it is unknown
      operations_per_second;
};

double measured_copy_rate(CaseTimer& timer, at::Device device, bool small);

}  // namespace gausscse::benchmarks
