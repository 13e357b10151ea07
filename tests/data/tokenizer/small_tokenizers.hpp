#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizer/tokenizer.hpp"

namespace gausscse {

/// Returns a BERT tokenizer of a few tokens: vocab.txt alone. Ids: [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, [MASK] 4, then a
/// 5, b 6, cat 7, ##s 8, ##b 9, "," 10, ab 11.
TokenizerFiles small_word_piece_files();

/// Returns a tokenizer.json of this tokenizer.
std::string small_word_piece_json();

/// Returns an MPNet tokenizer, whose vocabulary has BERT's special tokens as well, as the published one: vocab.txt, and
/// tokenizer_config.json with the class. Ids: <s> 0, <pad> 1, </s> 2, <unk> 3, [PAD] 4, [UNK] 5, [CLS] 6, [SEP] 7, a 8,
/// b 9, ##s 10, <mask> 11.
TokenizerFiles small_mpnet_files();

/// Returns a RoBERTa tokenizer: vocab.json and merges.txt. Ids: <s> 0, <pad> 1, </s> 2, <unk> 3, byte b at 4 + b, then
/// "he" 260, "Ġhe" 261, <mask> 262.
TokenizerFiles small_byte_level_files();

/// Returns a tokenizer.json of this tokenizer.
std::string small_byte_level_json();

/// Returns the tokenizer.json of a small XLM-RoBERTa tokenizer, in which "\u2460" becomes "1" and "\t" a space. Ids:
/// <s> 0, <pad> 1, </s> 2, <unk> 3, "\u2581" 4, "\u2581a" 5, "a" 6, "b" 7, "1" 8, <mask> 9.
std::string small_unigram_json();

/// Returns the base64 of a table of replacements (data/tokenizer/precompiled_charsmap.hpp): of the units of its trie,
/// by number, the rest of 256 being 0, and the replacements.
std::string charsmap_of(const std::map<std::size_t, std::uint32_t>& units, const std::string& replacements);

/// Returns the JSON text `json` with `value`, JSON as well, at `pointer` (RFC 6901; "-" appends to an array), or
/// without the value there if `value` is empty.
std::string changed(const std::string& json, const std::string& pointer, const std::string& value);

/// Returns the ids that the tokenizer of `files` gives `sentence`, uncut.
std::vector<std::uint32_t> encode(const TokenizerFiles& files, std::string_view sentence);

/// Why `files` are refused, or "accepted".
std::string message_of(const TokenizerFiles& files);

}  // namespace gausscse
