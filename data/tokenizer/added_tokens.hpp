#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizer/byte_trie.hpp"
#include "data/tokenizer/json_object.hpp"

namespace gausscse {

/// A token that is looked for in the text itself, before the text is split into words; special tokens are of this kind.
struct AddedToken {
  std::uint32_t id = 0;
  std::string content;
  bool single_word = false;  ///< only where no word character touches it
  bool lstrip = false;       ///< takes the white space on its left with it
  bool rstrip = false;       ///< takes the white space on its right with it
  bool normalized = true;    ///< looked for in the normalized text, in its own normalized form
};

/// A set of added tokens to look for; of several that fit at a place the longest is taken.
class AddedTokenSet {
 public:
  AddedTokenSet() { first_bytes_.fill(false); }

  /// Throws InputError, naming `source`, if a token has no content or two have the same.
  AddedTokenSet(std::vector<AddedToken> tokens, const std::string& source);

  bool empty() const { return tokens_.empty(); }

 private:
  friend class AddedTokenScanner;
  std::size_t find_first_byte(std::string_view text, std::size_t from) const;

  std::vector<AddedToken> tokens_;
  ByteTrie contents_;  // values are indices of tokens_
  std::array<bool, 256> first_bytes_;
  std::optional<char> only_first_byte_;  // where all tokens begin with the same byte
};

/// Cuts one text into added tokens and the pieces between them, from left to right.
class AddedTokenScanner {
 public:
  /// Makes a scanner. Both must outlive it; `text` is well-formed UTF-8.
  AddedTokenScanner(const AddedTokenSet& tokens, std::string_view text) : tokens_(tokens), text_(text) {}

  struct Piece {
    bool is_token = false;
    std::uint32_t id = 0;   ///< id of a token
    std::string_view text;  ///< text of a piece between tokens; never empty
  };

  /// Reads the next piece; returns false at the end of the text.
  bool next(Piece& piece);

 private:
  const AddedToken* find_match(std::size_t& begin, std::size_t& end);
  std::size_t space_end(std::size_t begin);

  const AddedTokenSet& tokens_;
  std::string_view text_;
  std::size_t searched_ = 0;             // matches begin here or later
  std::size_t consumed_ = 0;             // pieces cover the text up to here
  const AddedToken* pending_ = nullptr;  // found, the text before it was given
  std::size_t pending_end_ = 0;
  std::size_t space_begin_ = 0;  // the last run of white space that was measured
  std::size_t space_end_ = 0;
};

/// Returns an added token as Hugging Face files write it: `content`, and the flags, each optional. Its id is left 0.
/// Throws InputError for a missing content or a value of a wrong type.
AddedToken parse_added_token(const JsonObject& entry);

}  // namespace gausscse
