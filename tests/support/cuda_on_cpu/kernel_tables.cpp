#include "model/kernels/cuda/table.cuh"

// For programs that compute with the GPU's kernels on CPUs: these stand in for model/kernels/dispatch.cpp.
namespace gausscse::kernels {

template <>
const Kernels<float>& kernel_table<float>() {
  return cuda::table<float>;
}

template <>
const Kernels<float, Bfloat16>& kernel_table<float, Bfloat16>() {
  return cuda::table<float, Bfloat16>;
}

template <>
const Kernels<double>& kernel_table<double>() {
  return cuda::table<double>;
}

}  // namespace gausscse::kernels
