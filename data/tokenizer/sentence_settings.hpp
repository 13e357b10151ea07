#pragma once

#include "data/tokenizer/json_object.hpp"
#include "data/tokenizer/tokenizer_files.hpp"
#include "data/tokenizer/tokenizer_settings.hpp"

namespace gausscse {

/// Reads the entries `truncation` and `padding` of a tokenizer.json, whose object is `root`, into `settings`.
void read_truncation_json(const JsonObject& root, TokenizerSettings& settings);

/// Reads into `settings` what the other files say of whole sentences: lower case, the end at which they are cut, limits
/// of tokens. Adds warnings of keys of tokenizer_config.json and special_tokens_map.json that are not applied. Throws
/// InputError for values of another type, and where two files contradict each other.
void read_sentence_settings(const TokenizerFiles& files, TokenizerSettings& settings);

}  // namespace gausscse
