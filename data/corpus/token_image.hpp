#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/corpus/tokenized_sentences.hpp"
#include "data/corpus/training_corpus.hpp"

namespace gausscse {

/// Version of the layout of an image, which is part of the keys of stores.
inline constexpr std::uint32_t token_image_version = 8;

/// A token store as one block of bytes, the same in memory and on the disk, in the machine's byte order:
///
///     start (magic text, length of the header, XXH3-64 of all that follows) | header, a JSON object |
///     offsets | sentences of the examples | labels | groups | ids
///
/// Each part is filled up to a multiple of 8 bytes.
class TokenImage {
 public:
  /// Makes the image, without a copy of the content of `tokens`, `corpus` and `groups`, which must outlive it. `key` is
  /// the hash of the inputs of the image. `corpus` has the examples, whose sentences are those of `tokens`; its own
  /// sentences are not looked at. `groups` has a number of a sentence for each label.
  TokenImage(const std::string& key, std::size_t vocabulary_size, const TokenizedSentences& tokens,
             const TrainingCorpus& corpus, const std::vector<std::uint32_t>& groups);
  TokenImage(const TokenImage&) = delete;
  TokenImage& operator=(const TokenImage&) = delete;

  /// Returns the bytes, in pieces to be written one behind the other.
  std::span<const std::string_view> pieces() const { return pieces_; }

 private:
  void append(std::string_view piece);
  void fill_up();
  template <typename Values>
  void append_part(const Values& values);

  std::string header_;  ///< start and header
  std::vector<std::string_view> pieces_;
  std::size_t size_ = 0;  ///< bytes of all pieces
};

/// A checked image.
struct TokenImageView {
  std::span<const std::uint64_t> offsets;
  std::size_t roles = 0;                             ///< 2 or 3; 0 for sentences without examples
  std::span<const std::uint32_t> example_sentences;  ///< [examples x roles]
  std::span<const std::uint32_t> labels;             ///< [examples], or empty
  std::span<const std::uint32_t> groups;             ///< as many
  std::span<const std::uint16_t> narrow_ids;         ///< one of the two kinds of ids is empty
  std::span<const std::uint32_t> wide_ids;
  std::vector<TokenCounts> token_counts;  ///< counts of TokenizedSentences
  CorpusCounts counts;
  std::vector<std::string> bad_line_messages;
};

/// Views `bytes`, which must begin at a multiple of 8 and outlive the view. Every part is checked before it is used:
/// hashes of header and content, sizes, roles, the order of offsets, ranges of sentence numbers, labels, groups and
/// ids. Throws InputError with the fault of the image, if it is not whole or not of `key`.
TokenImageView view_token_image(std::string_view bytes, std::string_view key);

}  // namespace gausscse
