#pragma once

#include "data/tokenizer/json_object.hpp"
#include "data/tokenizer/text_normalizer.hpp"
#include "data/tokenizer/word_piece.hpp"

namespace gausscse {

/// Returns the `normalizer` entry of the tokenizer.json `root` of a WordPiece model. Throws InputError for another one
/// than BertNormalizer and null.
BertNormalizer parse_bert_normalizer_json(const JsonObject& root);

/// Returns the `normalizer` entry of the tokenizer.json `root` of another model: null, a step or a Sequence of them.
/// Throws InputError for steps that are not understood.
TextNormalizer parse_text_normalizer_json(const JsonObject& root);

}  // namespace gausscse
