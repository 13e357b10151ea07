#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizer/byte_trie.hpp"
#include "data/tokenizer/subword_model.hpp"
#include "data/tokenizer/vocabulary.hpp"
#include "data/tokenizer/word_cache.hpp"

namespace gausscse {

/// Changes that BERT makes to a text before it is split into words. All off: none.
struct BertNormalizer {
  bool clean_text = false;                 ///< remove control characters, turn white space into spaces
  bool handle_chinese_characters = false;  ///< set spaces around CJK ideographs
  bool strip_accents = false;              ///< decompose (NFD) and remove non-spacing marks
  bool lowercase = false;

  /// Returns the normalized text, as UTF-8; `text` must be well-formed UTF-8.
  std::string normalize(std::string_view text) const;
};

struct WordPieceSettings {
  BertNormalizer normalizer;
  std::string unknown_token = "[UNK]";
  std::string continuation_prefix = "##";
  /// Words of more code points than this are unknown.
  std::size_t max_characters_per_word = 100;
};

/// BERT's tokenizer: words by white space and punctuation, then the longest pieces of the vocabulary from the left.
class WordPiece final : public SubwordModel {
 public:
  /// Throws InputError, naming `source`, if the vocabulary has no unknown token.
  WordPiece(const Vocabulary& vocabulary, const WordPieceSettings& settings, const std::string& source);

  std::string_view normalize(std::string_view text, std::string& buffer) const override;
  void encode_normalized(std::string_view text, bool begins_sentence, std::size_t limit,
                         std::vector<std::uint32_t>& ids) const override;
  void encode(std::string_view text, bool begins_sentence, std::size_t limit,
              std::vector<std::uint32_t>& ids) const override;
  std::optional<std::uint32_t> unknown_id() const override { return unknown_id_; }

 private:
  // Meaning of a byte, in a text not yet normalized, for the words; `full` needs the full normalizer.
  enum class ByteKind : std::uint8_t { word, space, punctuation, full };

  static bool is_boundary(ByteKind kind) { return kind == ByteKind::space || kind == ByteKind::punctuation; }
  ByteKind kind(char byte) const { return byte_kinds_[static_cast<unsigned char>(byte)]; }
  std::size_t chunk_end(std::string_view text, std::size_t begin) const;
  void append_chunk(std::string_view chunk, std::size_t limit, std::vector<std::uint32_t>& ids) const;
  template <typename Map>
  void append_word(std::string_view word, std::size_t characters, const Map& map,
                   std::vector<std::uint32_t>& ids) const;

  BertNormalizer normalizer_;
  std::size_t max_characters_per_word_;
  ByteTrie trie_;                     // every token
  ByteTrie::Node continuation_root_;  // where the continuation prefix leads, or none
  std::uint32_t unknown_id_;
  std::array<ByteKind, 256> byte_kinds_;
  std::array<unsigned char, 256> normalized_bytes_;  // of bytes of kind word and punctuation
  std::uint32_t cache_owner_ = WordCache::new_owner();
};

}  // namespace gausscse
