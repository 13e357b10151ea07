#pragma once

#include <string>
#include <vector>

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

}  // namespace gausscse
