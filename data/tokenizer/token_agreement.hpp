#pragma once

#include "data/tokenizer/tokenizer_files.hpp"
#include "data/tokenizer/tokenizer_settings.hpp"

namespace gausscse {

/// Compares `settings`, read from tokenizer.json, with what the folder's other files say of tokens: special ones by
/// role, added ones, the vocabulary and the merges. Other programs may take those files instead. Adds a warning to
/// `settings` for each difference.
void compare_tokens(const TokenizerFiles& files, TokenizerSettings& settings);

}  // namespace gausscse
