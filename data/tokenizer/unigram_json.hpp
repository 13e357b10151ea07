#pragma once

#include "data/tokenizer/json_object.hpp"
#include "data/tokenizer/unigram.hpp"
#include "data/tokenizer/vocabulary.hpp"

namespace gausscse {

/// Returns the tokens of the `model` entry of a tokenizer.json of type Unigram, and sets the scores and the unknown
/// token in `settings`. Throws InputError, naming file and entry, for a token without a score, a token that occurs
/// twice, a missing unknown token and settings that are not understood.
Vocabulary parse_unigram_json(const JsonObject& model, UnigramSettings& settings);

/// Reads the `pre_tokenizer` entry of the tokenizer.json `root` of such a model: Metaspace, or WhitespaceSplit and
/// Metaspace. The normalizer must have been read. Throws InputError for others.
void parse_metaspace_json(const JsonObject& root, UnigramSettings& settings);

}  // namespace gausscse
