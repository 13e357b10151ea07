#include "data/tokenizer/precompiled_charsmap.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/text.hpp"
#include "data/tokenizer/grapheme_clusters.hpp"
#include "data/tokenizer/utf8_text.hpp"

namespace gausscse {

namespace {

/// Larger clusters are replaced character by character.
constexpr std::size_t longest_whole = 5;

// Parts of a unit of the trie.
constexpr bool is_value(std::uint32_t unit) {
  return unit >> 31 != 0;
}
constexpr std::uint32_t value_of(std::uint32_t unit) {
  return unit & 0x7FFFFFFF;
}
constexpr bool ends_key(std::uint32_t unit) {
  return (unit >> 8 & 1) != 0;
}
constexpr std::uint32_t label_of(std::uint32_t unit) {
  return unit & 0x800000FF;
}
constexpr std::uint32_t offset_of(std::uint32_t unit) {
  return unit >> 10 << ((unit & 0x200) >> 6);
}

/// Returns the six bits of a base64 digit, or 64.
std::uint32_t base64_digit(char c) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return static_cast<std::uint32_t>(std::min(digits.find(c), digits.size()));
}

/// Returns the bytes that base64 with its padding represents (RFC 4648); nothing if it is none.
std::optional<std::string> decoded_base64(std::string_view text) {
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t begin = 0; begin < text.size(); begin += 4) {
    const std::size_t count = begin + 4 == text.size() ? 4 - padding : 4;
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint32_t digit = i < count ? base64_digit(text[begin + i]) : 0;
      if (digit == 64) return std::nullopt;
      bits = bits << 6 | digit;
    }
    for (std::size_t i = 0; i + 1 < count; ++i) bytes.push_back(static_cast<char>(bits >> (16 - 8 * i)));
  }
  return bytes;
}

}  // namespace

PrecompiledCharsmap::PrecompiledCharsmap(std::string_view base64, const std::string& where) {
  const auto refuse = [&](const auto&... problem) {
    throw InputError(concat(where, ": ", problem..., "; give the model's own file"));
  };
  const std::optional<std::string> bytes = decoded_base64(base64);
  if (!bytes) refuse("is not base64");
  std::uint32_t trie_bytes = 0;
  if (bytes->size() < sizeof trie_bytes) refuse("has ", bytes->size(), " bytes, too few for a table of replacements");
  std::memcpy(&trie_bytes, bytes->data(), sizeof trie_bytes);
  if (trie_bytes == 0 || trie_bytes % sizeof(std::uint32_t) != 0 || trie_bytes > bytes->size() - sizeof trie_bytes)
    refuse("says that its trie has ", trie_bytes, " bytes, of ", bytes->size(), " in all");
  units_.resize(trie_bytes / sizeof(std::uint32_t));
  std::memcpy(units_.data(), bytes->data() + sizeof trie_bytes, trie_bytes);
  replacements_ = bytes->substr(sizeof trie_bytes + trie_bytes);
  if (find_invalid_utf8(replacements_) != std::string_view::npos) refuse("has replacements that are not UTF-8");
  for (std::size_t at = 0; at < units_.size(); ++at) {
    const std::uint32_t unit = units_[at];
    if (at > 0 && is_value(unit)) continue;
    // Children are at `first`, with any last byte of its number.
    const std::size_t first = at ^ offset_of(unit);
    if ((first | 0xFF) >= units_.size()) refuse("unit ", at, " of its trie points outside of the trie");
    if (!ends_key(unit)) continue;
    const std::size_t value = value_of(units_[first]);
    if (value >= replacements_.size() || (static_cast<unsigned char>(replacements_[value]) & 0xC0) == 0x80)
      refuse("unit ", at, " of its trie points to no replacement");
  }
  for (std::size_t c = 0; c < is_plain_.size(); ++c) {
    const char byte = static_cast<char>(c);
    is_plain_[c] = byte != '\r' && !find({&byte, 1});
  }
}

/// Returns the replacement of the shortest beginning of `piece` that has one.
std::optional<std::string_view> PrecompiledCharsmap::find(std::string_view piece) const {
  std::size_t at = offset_of(units_[0]);
  for (const char byte : piece) {
    const auto label = static_cast<unsigned char>(byte);
    if (label == 0) break;
    at ^= label;
    const std::uint32_t unit = units_[at];
    if (label_of(unit) != label) break;
    at ^= offset_of(unit);
    if (!ends_key(unit)) continue;
    const std::string_view rest = std::string_view(replacements_).substr(value_of(units_[at]));
    return rest.substr(0, rest.find('\0'));
  }
  return std::nullopt;
}

/// Returns the end of the ASCII characters from `begin` on that are clusters without a replacement.
std::size_t PrecompiledCharsmap::plain_end(std::string_view text, std::size_t begin) const {
  std::size_t end = begin;
  const auto is_ascii = [&](std::size_t at) { return static_cast<unsigned char>(text[at]) < 0x80; };
  while (end < text.size() && is_ascii(end) && is_plain_[static_cast<unsigned char>(text[end])]) ++end;
  // A character over ASCII may belong to the cluster of the one before it.
  return end > begin && end < text.size() && !is_ascii(end) ? end - 1 : end;
}

bool PrecompiledCharsmap::append_replaced(std::string_view text, std::string& out) const {
  std::size_t copied = 0;  // `out` has the text up to here
  const auto replace = [&](std::size_t begin, std::size_t end) {
    const std::optional<std::string_view> replacement = find(text.substr(begin, end - begin));
    if (!replacement) return false;
    out.append(text.substr(copied, begin - copied)).append(*replacement);
    copied = end;
    return true;
  };
  for (std::size_t begin = plain_end(text, 0); begin < text.size(); begin = plain_end(text, begin)) {
    const std::size_t end = grapheme_cluster_end(text, begin);
    const bool is_replaced = end - begin <= longest_whole && replace(begin, end);
    for (std::size_t at = begin; at < end && !is_replaced;) {
      const std::size_t character = at;
      next_code_point(text, at);
      replace(character, at);
    }
    begin = end;
  }
  if (copied == 0) return false;
  out.append(text.substr(copied));
  return true;
}

}  // namespace gausscse
