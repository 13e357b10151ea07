#pragma once

#include <string>
#include <vector>

#include "launcher/machine/compute_device.hpp"

namespace gausscse {

/// Returns doctor's lines on GPUs: the versions of CUDA, and each node's GPUs with the ranks that compute on them. They
/// show the GPUs that do not reach each other's memory, and the reason why a rank sees none. A build without CUDA has
/// one line. `chosen`: the device of each rank; empty where none could be chosen.
std::string gpu_report(const std::vector<RankGpus>& ranks, const std::vector<ComputeDevice>& chosen);

}  // namespace gausscse
