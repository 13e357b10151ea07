#pragma once

#include <optional>
#include <string>

#include "results/run_result.hpp"

namespace gausscse {

/// Returns a sentence for the user where ranks on CPUs compute with different instructions, so that the last bits of
/// their results differ: it names rank 0's and those of the first rank that has others. Nothing where all have the
/// same, or compute on GPUs. Instructions for products of bfloat16 factors count where `bfloat16` says that there are
/// such products.
std::optional<std::string> different_instructions(const Provenance& provenance, bool bfloat16);

}  // namespace gausscse
