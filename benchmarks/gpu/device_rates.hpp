#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "benchmarks/gpu/case_timer.hpp"

namespace gausscse::benchmarks {

/// What a GPU is, as CUDA tells it.
struct GpuProperties {
  std::string name;
  std::string compute_capability;
  int multiprocessors;
  int float32_lanes;                    ///< of a multiprocessor: multiplications with addition a cycle
  double clock_hz;                      ///< the highest of its multiprocessors
  int runtime_version, driver_version;  ///< of CUDA, as 13000
};

/// Throws std::logic_error in a build without CUDA.
GpuProperties gpu_properties(at::Device device);

/// What floors are made of.
struct DeviceRates {
  double bytes_per_second;  ///< read and written by a large copy, measured
  double
      operations_per_second;  ///< of float32, two for a multiplication with addition; 0 on a CPU, where it is unknown
};

double measured_copy_rate(CaseTimer& timer, at::Device device, bool small);

}  // namespace gausscse::benchmarks
