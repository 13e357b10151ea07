#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "data/tokenizer/json_object.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "data/tokenizer/tokenizer_settings.hpp"

namespace gausscse {

struct ParsedModel {
  Vocabulary vocabulary;
  std::variant<WordPieceSettings, ByteLevelBpeModel, UnigramSettings> model;
};

/// Returns the `model` entry of a tokenizer.json: WordPiece, BPE or Unigram. Throws InputError for other models and
/// settings.
ParsedModel parse_model_json(const JsonObject& model);

/// Returns a vocabulary as JSON has it, an object of token to id; vocab.json is one. `where` is for messages.
Vocabulary parse_vocabulary_json(const nlohmann::json& value, const std::string& where);

/// Returns one merge as merges.txt and older tokenizer.json files have it, "left right"; nothing if `line` is none.
std::optional<std::pair<std::string, std::string>> find_merge(std::string_view line);

/// Throws the InputError for a `line` that is no merge; `where` is for the message.
[[noreturn]] void throw_not_a_merge(std::string_view line, const std::string& where);

/// Returns the settings of a BERT or MPNet tokenizer whose folder has `vocab.txt` and no tokenizer.json: those of
/// tokenizer_config.json and special_tokens_map.json, by default lower case. Throws InputError.
TokenizerSettings parse_word_piece_files(const TokenizerFiles& files);

/// Returns the settings of a RoBERTa tokenizer whose folder has `vocab.json` and `merges.txt`, and no tokenizer.json.
/// Throws InputError.
TokenizerSettings parse_byte_level_files(const TokenizerFiles& files);

/// Returns the merges of a merges.txt, one a line; `source` is the file. Throws InputError.
std::vector<std::pair<std::string, std::string>> parse_merges_file(std::string_view text, const std::string& source);

}  // namespace gausscse
