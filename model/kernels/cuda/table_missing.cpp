#include <stdexcept>

#include "model/kernels/cuda/table.hpp"

// In place of table.cu, in builds without CUDA.
namespace gausscse::kernels::cuda {

namespace {

[[noreturn]] void no_kernels() {
  throw std::logic_error("this build has no kernels for GPUs");
}

}  // namespace

const Kernels<float>& float_kernels() {
  no_kernels();
}
const Kernels<float, Bfloat16>& bfloat16_kernels() {
  no_kernels();
}

}  // namespace gausscse::kernels::cuda
