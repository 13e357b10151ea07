#pragma once

#include <optional>
#include <string>

#include "experiments/results/run_result.hpp"

namespace gausscse {

/// What tells that ranks compute with different instructions, naming the first that differs from rank 0, and that the
/// last bits of what they compute therefore do; nothing where all have the same. Those of products of bfloat16 factors
/// count if there are such products.
std::optional<std::string> different_instructions(const Provenance& provenance, bool bfloat16);

}  // namespace gausscse
