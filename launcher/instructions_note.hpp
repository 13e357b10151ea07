#pragma once

#include "model/sentence_encoder.hpp"
#include "results/run_result.hpp"

namespace gausscse {

/// Warns where ranks embed with different instructions, see `different_instructions`. `encoder` may be null: word
/// vectors have none.
void tell_different_instructions(const Provenance& provenance, const SentenceEncoder* encoder);

}  // namespace gausscse
