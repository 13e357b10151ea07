#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/corpus/byte_image.hpp"
#include "data/corpus/tokenized_sentences.hpp"
#include "data/corpus/training_corpus.hpp"

namespace gausscse {

/// A token store as an image: a header with sizes, counts and hashes; offsets; sentences, labels and groups of the
/// examples; ids; messages about bad lines.
inline constexpr std::uint32_t token_image_version = 5;

/// Contents of an image besides its tokens.
struct TokenImageContent {
  std::string key;  ///< 32 hexadecimal digits: the hash of what the image was made from
  std::size_t vocabulary_size = 0;
  std::size_t roles = 0;                         ///< 2 or 3; 0 for sentences without examples
  std::vector<std::uint32_t> example_sentences;  ///< numbers of sentences, [examples x roles]
  std::vector<std::uint32_t> labels;             ///< below gold_labels, [examples], or empty
  std::vector<std::uint32_t> groups;             ///< numbers of sentences, as many as labels
  CorpusCounts counts;
  std::vector<std::string> bad_line_messages;
};

/// The image of tokens and content, which must outlive it.
class TokenImageParts {
 public:
  TokenImageParts(const TokenizedSentences& tokens, const TokenImageContent& content);

  const ImageParts& image() const { return image_; }

 private:
  std::string messages_;
  ImageParts image_;
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
  std::size_t cut_sentences = 0;
  CorpusCounts counts;
  std::vector<std::string> bad_line_messages;
};

/// Views `bytes`, which must begin at a multiple of 8 and outlive the view. Every part is checked before it is used:
/// hashes of header and content, sizes, roles, the order of offsets, ranges of sentence numbers, labels, groups and
/// ids. Throws InputError that says what is wrong with the image, if it is not whole or not of `key`.
TokenImageView view_token_image(std::string_view bytes, std::string_view key);

}  // namespace gausscse
