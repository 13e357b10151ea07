#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/tokenizer/tokenizer_files.hpp"
#include "data/tokenizer/tokenizer_settings.hpp"

namespace gausscse {

/// Returns the settings of a BERT or MPNet tokenizer whose folder has `vocab.txt` and no tokenizer.json: those of
/// tokenizer_config.json and special_tokens_map.json, by default lower case. Throws InputError.
TokenizerSettings parse_word_piece_files(const TokenizerFiles& files);

/// Returns the settings of a RoBERTa tokenizer whose folder has `vocab.json` and `merges.txt`, and no tokenizer.json.
/// Throws InputError.
TokenizerSettings parse_byte_level_files(const TokenizerFiles& files);

/// Returns the merges of a merges.txt, one a line; `source` is the file. Throws InputError.
std::vector<std::pair<std::string, std::string>> parse_merges_file(std::string_view text, const std::string& source);

}  // namespace gausscse
