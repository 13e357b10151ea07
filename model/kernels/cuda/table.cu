#include "model/kernels/cuda/table.hpp"

#include "model/kernels/cuda/table.cuh"

namespace gausscse::kernels::cuda {

const Kernels<float>& float_kernels() {
  return table<float>;
}
const Kernels<float, Bfloat16>& bfloat16_kernels() {
  return table<float, Bfloat16>;
}

}  // namespace gausscse::kernels::cuda
