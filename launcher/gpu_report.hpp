#pragma once

#include <string>
#include <vector>

#include "launcher/compute_device.hpp"

namespace gausscse {

/// Returns what doctor tells of GPUs, in lines: the versions of CUDA, each node's GPUs with the ranks that compute on
/// them, which of them do not reach each other's memory, and why a rank sees none. Of a build without CUDA one line.
/// `chosen`: what the ranks compute on; empty where that could not be chosen.
std::string gpu_report(const std::vector<RankGpus>& ranks, const std::vector<ComputeDevice>& chosen);

}  // namespace gausscse
