#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizer/byte_trie.hpp"
#include "data/tokenizer/subword_model.hpp"
#include "data/tokenizer/text_normalizer.hpp"
#include "data/tokenizer/vocabulary.hpp"
#include "data/tokenizer/word_cache.hpp"

namespace gausscse {

/// Texts that the mark of a space is set before, unless they begin with one.
enum class PrefixMark { always, first, never };  ///< all, the beginning of a sentence, or none

struct UnigramSettings {
  TextNormalizer normalizer = {};
  /// White space separates words and is removed. Without it only spaces do, as marks.
  bool splits_white_space = false;
  PrefixMark prefix = PrefixMark::always;
  /// A word ends before each mark. Without it a text is one word.
  bool splits_marks = true;
  std::uint32_t unknown_id = 0;
  /// Logarithm of each token's probability, by id.
  std::vector<double> scores = {};
};

/// SentencePiece's tokenizer, of XLM-RoBERTa: words that begin with the mark U+2581 of a space are cut into the pieces
/// of the largest summed score (Kudo 2018, section 3.2), found by Viterbi's algorithm. A character that no piece begins
/// with costs 10 more than the least score. Unknown characters of a word that follow each other are one token.
class Unigram final : public SubwordModel {
 public:
  /// Makes the model. Token i of the vocabulary has the score `settings.scores[i]`.
  Unigram(const Vocabulary& vocabulary, UnigramSettings settings);

  std::string_view normalize(std::string_view text, std::string& buffer) const override;
  void encode_normalized(std::string_view text, bool begins_sentence, std::size_t limit,
                         std::vector<std::uint32_t>& ids) const override;
  std::optional<std::uint32_t> unknown_id() const override { return settings_.unknown_id; }

 private:
  std::size_t word_end(std::string_view text, std::size_t begin) const;
  std::string marked(std::string_view text, bool has_prefix) const;
  void append_pieces(std::string_view word, std::vector<std::uint32_t>& ids) const;

  UnigramSettings settings_;
  ByteTrie trie_;  // every token
  double unknown_score_ = 0;
  std::uint32_t cache_owner_ = WordCache::new_owner();
};

}  // namespace gausscse
