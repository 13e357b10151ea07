#pragma once

#include <filesystem>

namespace gausscse {

/// Returns the folder in which CUDA looks for NVIDIA's MPS, which lets kernels of several processes run on a GPU at the
/// same time: that of CUDA_MPS_PIPE_DIRECTORY, else /tmp/nvidia-mps.
std::filesystem::path mps_folder();

/// Returns whether MPS's daemon serves the programs of this node that look for it in `folder`, as CUDA finds out: by a
/// connection to the socket `control` there.
bool is_mps_served(const std::filesystem::path& folder = mps_folder());

}  // namespace gausscse
