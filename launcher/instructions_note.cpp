#include "launcher/instructions_note.hpp"

#include <spdlog/spdlog.h>

#include "results/run_result.hpp"

namespace gausscse {

void tell_different_instructions(const Provenance& provenance, const SentenceEncoder* encoder) {
  const bool bfloat16 = encoder && encoder->settings().precision == Precision::bfloat16;
  if (const auto difference = different_instructions(provenance, bfloat16)) spdlog::warn(*difference);
}

}  // namespace gausscse
