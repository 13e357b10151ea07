#pragma once

#include "model/kernels/kernels.hpp"

namespace gausscse::pretended_gpu {

/// Returns the kernels of the pretended GPU: the GPU's kernels in the harness of cuda_on_cpu (gpu_kernels.cpp), or,
/// many times as fast, the CPU's (cpu_kernels.cpp). A program links one of the two.
template <typename T, typename Factor>
const kernels::Kernels<T, Factor>& kernels_behind();

}  // namespace gausscse::pretended_gpu
