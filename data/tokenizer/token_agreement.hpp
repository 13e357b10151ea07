#pragma once

#include "data/tokenizer/tokenizer.hpp"
#include "data/tokenizer/tokenizer_settings.hpp"

namespace gausscse {

/// Compares `settings`, read from tokenizer.json, with the entries on tokens in the folder's other files: special ones
/// by role, added ones, the vocabulary and the merges. Other programs may take those files instead. Adds a warning to
/// `settings` for each difference.
void compare_tokens(const TokenizerFiles& files, TokenizerSettings& settings);

/// Compares the entries of tokenizer_config.json on case, accents, Chinese characters and the first word's space with
/// `settings`, read from tokenizer.json. Throws InputError that names both where they differ: `transformers` takes the
/// one and the `tokenizers` library the other, so neither is a safe guess.
void check_agreement(const TokenizerFiles& files, const TokenizerSettings& settings);

}  // namespace gausscse
