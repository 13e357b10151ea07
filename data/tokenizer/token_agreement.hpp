#pragma once

#include "data/tokenizer/tokenizer.hpp"
#include "data/tokenizer/tokenizer_settings.hpp"

namespace gausscse {

/// Compares `settings`, read from tokenizer.json, with what the folder's other files say of tokens: special ones by
/// role, added ones, the vocabulary and the merges. Other programs may take those files instead. Adds a warning to
/// `settings` for each difference.
void compare_tokens(const TokenizerFiles& files, TokenizerSettings& settings);

/// Compares what tokenizer_config.json says of case, accents, Chinese characters and the first word's space with
/// `settings`, read from tokenizer.json. Throws InputError that names both where they differ: `transformers` takes the
/// one and the `tokenizers` library the other, so neither is a safe guess.
void check_agreement(const TokenizerFiles& files, const TokenizerSettings& settings);

}  // namespace gausscse
