#pragma once

#include <string>

#include "experiments/manifest/manifest.hpp"

// Texts for a user whose trials share a GPU (`resources.gpus` below 1). All are empty where trials do not.

namespace gausscse {

/// Returns the way in which trials share a GPU, in words: each with its part of the memory, and with MPS at the same
/// time, else by turns.
std::string sharing_note(const Resources& resources, bool is_mps_served);

/// Returns the warning that the trials which share a GPU do not fit it together, with the number that would fit, where
/// one takes `gpu_memory_share` of the GPU's memory; 0: unknown. Empty where they fit.
std::string packing_warning(const Resources& resources, double gpu_memory_share);

}  // namespace gausscse
