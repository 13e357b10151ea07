#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "data/tokenizer/added_tokens.hpp"
#include "data/tokenizer/byte_level_bpe.hpp"
#include "data/tokenizer/json_object.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "data/tokenizer/unigram.hpp"
#include "data/tokenizer/vocabulary.hpp"
#include "data/tokenizer/word_piece.hpp"

namespace gausscse {

struct ByteLevelBpeModel {
  ByteLevelBpeSettings settings;
  std::vector<std::pair<std::string, std::string>> merges;
  std::string merges_source;
};

/// Everything that decides the ids of a tokenizer, from any of the files it may come from.
struct TokenizerSettings {
  std::string source;  ///< the file, for messages
  Vocabulary vocabulary;
  std::variant<WordPieceSettings, ByteLevelBpeModel, UnigramSettings> model;
  std::vector<AddedToken> added_tokens;
  std::vector<std::uint32_t> ids_before;  ///< special tokens before a sentence
  std::vector<std::uint32_t> ids_after;   ///< special tokens after it
  bool lowers_sentences = false;          ///< see Tokenizer
  /// True if a sentence that is too long loses its first tokens instead of its last; nothing where no file says so.
  std::optional<bool> cuts_begin = std::nullopt;
  std::vector<TokenLimit> limits = {};
  std::vector<std::string> warnings = {};
};

/// Appends `token` to `tokens`. Throws InputError if its id is not the one that the vocabulary gives it, or, for a
/// token that the vocabulary lacks, the next free one, as the `tokenizers` library counts.
void append_added_token(const Vocabulary& vocabulary, AddedToken token, const std::string& source,
                        std::vector<AddedToken>& tokens);

/// Reads the entries `truncation` and `padding` of a tokenizer.json, whose object is `root`, into `settings`.
void read_truncation_json(const JsonObject& root, TokenizerSettings& settings);

/// Reads into `settings` the entries of the other files on whole sentences: lower case, the end at which they are cut,
/// limits of tokens. Adds warnings of keys of tokenizer_config.json and special_tokens_map.json that are not applied.
/// Throws InputError for values of another type, and where two files contradict each other.
void read_sentence_settings(const TokenizerFiles& files, TokenizerSettings& settings);

}  // namespace gausscse
