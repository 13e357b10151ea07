#include "model/kernels/cuda/table.cuh"
#include "tests/support/pretended_gpu/kernels.hpp"

namespace gausscse::pretended_gpu {

template <>
const kernels::Kernels<float, float>& kernels_behind<float, float>() {
  return kernels::cuda::table<float>;
}

template <>
const kernels::Kernels<float, kernels::Bfloat16>& kernels_behind<float, kernels::Bfloat16>() {
  return kernels::cuda::table<float, kernels::Bfloat16>;
}

}  // namespace gausscse::pretended_gpu
