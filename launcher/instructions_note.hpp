#pragma once

#include "experiments/results/run_result.hpp"
#include "model/sentence_encoder.hpp"

namespace gausscse {

/// Warns where ranks embed with different instructions, see `different_instructions`. `encoder` may be null: word
/// vectors have none.
void tell_different_instructions(const Provenance& provenance, const SentenceEncoder* encoder);

}  // namespace gausscse
