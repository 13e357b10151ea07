#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gausscse {

/// The tokens of a model and their ids: distinct tokens, distinct ids.
class Vocabulary {
 public:
  /// The largest id that is accepted. Ids up to there fit a signed 32-bit integer with room for padding values.
  static constexpr std::uint64_t largest_id = 0x7FFFFFFE;

  /// Throws InputError, naming `source` and the token, where a token or an id occurs twice or there is no token.
  Vocabulary(std::vector<std::pair<std::string, std::uint32_t>> tokens, const std::string& source);

  /// Returns a vocab.txt: one token a line, the id is the number of the line from 0; white space at the end of a line
  /// does not belong to the token. Throws InputError with the line for invalid UTF-8, a byte-order mark or a token
  /// given twice.
  static Vocabulary from_lines(std::string_view text, const std::string& source);

  /// Returns whether `from_lines` of the text gives these tokens and ids; does not make them again.
  bool has_lines(std::string_view text) const;

  std::optional<std::uint32_t> find(std::string_view token) const;

  /// Returns the id of `token`; throws InputError, naming `source` and the use of the token, if there is none.
  std::uint32_t require(std::string_view token, const std::string& source, std::string_view purpose) const;

  bool operator==(const Vocabulary& other) const { return tokens_ == other.tokens_; }

  /// Returns the number of tokens.
  std::size_t size() const { return tokens_.size(); }

  /// Returns the largest id + 1.
  std::size_t id_limit() const { return id_limit_; }

  /// Returns whether some token has this id.
  bool has_id(std::uint32_t id) const;

  /// Returns tokens and ids in the order of the tokens' bytes; views last as long as the vocabulary does.
  std::vector<std::pair<std::string_view, std::uint32_t>> entries() const;

 private:
  std::vector<std::pair<std::string, std::uint32_t>> tokens_;  // sorted by token
  std::vector<std::uint32_t> ids_;                             // sorted
  std::size_t id_limit_ = 0;
};

}  // namespace gausscse
