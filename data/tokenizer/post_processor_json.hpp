#pragma once

#include "data/tokenizer/json_object.hpp"
#include "data/tokenizer/tokenizer_settings.hpp"

namespace gausscse {

/// Reads the `post_processor` entry of the tokenizer.json `root` into `settings.ids_before` and `ids_after`:
/// TemplateProcessing, BertProcessing or RobertaProcessing. Throws InputError for others, for ids that are not those of
/// their tokens, and where a sentence would get no special token before it.
void parse_post_processor_json(const JsonObject& root, TokenizerSettings& settings);

}  // namespace gausscse
