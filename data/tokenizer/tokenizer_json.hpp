#pragma once

#include <string>
#include <string_view>

#include "data/tokenizer/json_object.hpp"
#include "data/tokenizer/tokenizer_settings.hpp"

namespace gausscse {

/// Reads a `tokenizer.json` of the `tokenizers` library. Its truncation, padding and decoder entries do not decide the
/// ids of a sentence here and are not looked at. Throws InputError, naming `source` and the entry, for anything else
/// that is wrong or not understood.
TokenizerSettings parse_tokenizer_json(std::string_view text, const std::string& source);

/// Reads the `post_processor` entry of the tokenizer.json `root` into `settings.ids_before` and `ids_after`:
/// TemplateProcessing, BertProcessing or RobertaProcessing. Throws InputError for others, for ids that are not those of
/// their tokens, and where a sentence would get no special token before it.
void parse_post_processor_json(const JsonObject& root, TokenizerSettings& settings);

}  // namespace gausscse
