#pragma once

#include "model/kernels/kernels.hpp"

namespace gausscse::kernels::cuda {

/// Returns the kernels for GPUs, in the same tables as those of CPUs; float64 is for tests, which compute on CPUs. They
/// only start work on the stream of their context, and throw std::runtime_error with CUDA's words where it cannot be
/// started.
const Kernels<float>& float_kernels();
const Kernels<float, Bfloat16>& bfloat16_kernels();

}  // namespace gausscse::kernels::cuda
