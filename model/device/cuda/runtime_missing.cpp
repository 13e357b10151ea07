#include <stdexcept>

#include "model/device/cuda/runtime.hpp"

// In place of runtime.cpp, in builds without CUDA.
namespace gausscse::ops::cuda {

namespace {

[[noreturn]] void throw_missing() {
  throw std::logic_error("this build has no CUDA, but there is a tensor on a GPU");
}

}  // namespace

kernels::KernelContext context_of(const at::Tensor&) {
  throw_missing();
}

at::Tensor pinned_memory(at::IntArrayRef, at::ScalarType) {
  throw_missing();
}

}  // namespace gausscse::ops::cuda
