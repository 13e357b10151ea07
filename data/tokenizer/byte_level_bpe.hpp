#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/tokenizer/byte_trie.hpp"
#include "data/tokenizer/subword_model.hpp"
#include "data/tokenizer/text_normalizer.hpp"
#include "data/tokenizer/vocabulary.hpp"
#include "data/tokenizer/word_cache.hpp"

namespace gausscse {

/// The merges of a byte-pair encoding over symbols 0 .. n-1, and the merging itself.
class MergeTable {
 public:
  using Symbol = std::uint32_t;

  /// Symbols are the indices of `tokens`, which are sorted by name; `merges` are pairs of names, the first is merged
  /// first. Throws InputError, naming `source` and the merge, where a part or the merged token is not among the tokens
  /// or a pair is given twice.
  MergeTable(const std::vector<std::pair<std::string_view, std::uint32_t>>& tokens,
             const std::vector<std::pair<std::string, std::string>>& merges, const std::string& source);

  /// Merges in place, until no merge applies: the one of lowest rank first, the leftmost of equals.
  void merge(std::vector<Symbol>& symbols) const;

 private:
  struct Merge {
    Symbol left;
    Symbol right;
    std::uint32_t rank;
  };

  /// Merge of one pair, at the place of the pair's hash.
  struct Slot {
    Merge merge{no_rank, no_rank, no_rank};
    bool is_shared = false;  // merges of other pairs belong here, too: they are only in `merges_`
  };

  static constexpr std::uint32_t no_rank = 0xFFFFFFFF;

  std::size_t slot_of(Symbol left, Symbol right) const;
  std::uint32_t rank(Symbol left, Symbol right) const;
  void merge_short(std::vector<Symbol>& symbols) const;
  void merge_long(std::vector<Symbol>& symbols) const;

  std::vector<Merge> merges_;              // sorted by left, right
  std::vector<std::uint32_t> left_begin_;  // by left symbol: its first merge
  std::vector<Symbol> results_;            // by rank
  std::vector<Slot> slots_;                // a power of two
};

struct ByteLevelBpeSettings {
  TextNormalizer normalizer = {};
  /// A space is set before a text that does not begin with one.
  bool add_prefix_space = false;
  /// A word that is a token is that token, even where merges would not make it.
  bool ignore_merges = false;
};

/// Tokenizer of RoBERTa and ModernBERT: words by GPT-2's pattern, then pairs of byte sequences merged in the order of
/// the merges.
class ByteLevelBpe final : public SubwordModel {
 public:
  /// Makes the model. `merges`: pairs of tokens, the most frequent first. Throws InputError, naming
  /// `vocabulary_source`, if a byte has no token (text with it would vanish), or, naming `merges_source`, as MergeTable
  /// does.
  ByteLevelBpe(const Vocabulary& vocabulary, const std::vector<std::pair<std::string, std::string>>& merges,
               const ByteLevelBpeSettings& settings, const std::string& vocabulary_source,
               const std::string& merges_source);

  std::string_view normalize(std::string_view text, std::string& buffer) const override;
  void encode_normalized(std::string_view text, bool begins_sentence, std::size_t limit,
                         std::vector<std::uint32_t>& ids) const override;

 private:
  void append_word(std::string_view word, std::vector<std::uint32_t>& ids) const;
  void append_merged(std::string_view word, std::vector<std::uint32_t>& ids) const;

  TextNormalizer normalizer_;
  bool add_prefix_space_;
  MergeTable merges_;
  std::array<MergeTable::Symbol, 256> byte_symbols_;
  std::vector<std::uint32_t> symbol_ids_;
  ByteTrie whole_words_;  // words that are a token regardless of merges
  std::uint32_t cache_owner_ = WordCache::new_owner();
};

}  // namespace gausscse
