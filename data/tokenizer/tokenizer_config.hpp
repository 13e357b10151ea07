#pragma once

#include <string>
#include <vector>

#include "data/tokenizer/added_tokens.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "data/tokenizer/vocabulary.hpp"

namespace gausscse {

/// Tokenizers that read the same files and have the same special tokens, where those files name no others.
struct TokenizerFamily {
  /// Their classes in `transformers`, without "Fast" at the end.
  std::vector<std::string> classes;
  /// Before a sentence, behind it, and for words that are not known.
  const char *first, *last, *unknown;
  const char *padding, *mask;
  /// True if the mask represents a word with the space before it.
  bool mask_takes_space;
};

/// Returns the families with a vocab.txt: BERT's, which is meant where a folder names none, and others.
const std::vector<TokenizerFamily>& word_piece_families();
/// Returns the families with vocab.json and merges.txt.
const std::vector<TokenizerFamily>& byte_level_families();

struct SpecialToken {
  std::string role;  ///< `cls_token`, `mask_token`, ..., or `added token`, which has none
  AddedToken token;  ///< its id is not known here
  bool required;     ///< the vocabulary must have it: the file names it, or sentences need it
};

/// Settings in tokenizer_config.json and special_tokens_map.json of a tokenizer that has no tokenizer.json.
struct TokenizerConfig {
  bool lower_case = true;
  bool strip_accents = true;
  bool tokenize_chinese_characters = true;
  bool add_prefix_space = false;
  std::string unknown_token;
  std::vector<SpecialToken> special_tokens;
};

/// Reads both files where they are there, for the tokenizer of `vocabulary`, which is one of `families`: that of the
/// class that is named, or else the first. Entries without an effect on token ids are passed over. Throws InputError
/// for settings with an effect that are not understood, such as the class of another kind of tokenizer. Also for a
/// token of added_tokens_decoder that the vocabulary lacks or has under another id, and where no class is named and the
/// vocabulary could be of another family than the first. `vocabulary_source` is the vocabulary's file, for messages.
TokenizerConfig parse_tokenizer_config(const TokenizerFiles& files, const std::vector<TokenizerFamily>& families,
                                       const Vocabulary& vocabulary, const std::string& vocabulary_source);

}  // namespace gausscse
