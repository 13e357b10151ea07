#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gausscse {

/// Text without special tokens to token ids: normalizer, pre-tokenizer and model of a tokenizer in one. Immutable.
/// Every text given is well-formed UTF-8.
class SubwordModel {
 public:
  virtual ~SubwordModel() = default;

  /// Returns the text that `encode_normalized` expects: `text` itself, or the text in `buffer`.
  virtual std::string_view normalize(std::string_view text, std::string& buffer) const = 0;

  /// Appends the ids of a normalized text, with which a sentence begins or not. May stop once `ids` holds at least
  /// `limit` of them.
  virtual void encode_normalized(std::string_view text, bool begins_sentence, std::size_t limit,
                                 std::vector<std::uint32_t>& ids) const = 0;

  /// Normalizes and encodes: appends the ids of a text as it was written.
  virtual void encode(std::string_view text, bool begins_sentence, std::size_t limit,
                      std::vector<std::uint32_t>& ids) const {
    std::string buffer;
    encode_normalized(normalize(text, buffer), begins_sentence, limit, ids);
  }

  /// Returns the id of words that the vocabulary has no pieces for; nothing where every text has pieces.
  virtual std::optional<std::uint32_t> unknown_id() const { return std::nullopt; }
};

}  // namespace gausscse
