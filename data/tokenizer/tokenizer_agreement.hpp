#pragma once

#include "data/tokenizer/tokenizer_files.hpp"
#include "data/tokenizer/tokenizer_settings.hpp"

namespace gausscse {

/// Compares what tokenizer_config.json says of case, accents, Chinese characters and the first word's space with
/// `settings`, read from tokenizer.json. Throws InputError that names both where they differ: `transformers` takes the
/// one and the `tokenizers` library the other, so neither is a safe guess.
void check_agreement(const TokenizerFiles& files, const TokenizerSettings& settings);

}  // namespace gausscse
