#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace gausscse {

/// 16 bytes of a text in two integers, which are looked at together. Byte i of the text is bits 8 i to 8 i + 7 of
/// `low`, byte 8 + i those of `high`. Bytes behind the end of the text are 0. Sets of bytes are written as such a
/// block, too: a byte of the set has its highest bit, and all other bits are 0.
struct TextBlock {
  static constexpr std::size_t bytes = 16;

  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

static_assert(std::endian::native == std::endian::little, "the first byte of a text is the lowest of an integer");

/// Returns the block that begins at `begin`; `begin` < text.size().
inline TextBlock text_block(std::string_view text, std::size_t begin) {
  const std::size_t rest = text.size() - begin;
  TextBlock block;
  if (rest >= TextBlock::bytes) {
    std::memcpy(&block, text.data() + begin, TextBlock::bytes);
  } else if (text.size() < TextBlock::bytes) {
    std::memcpy(&block, text.data() + begin, rest);
  } else {
    // The last block of the text, without the bytes before `begin`.
    std::memcpy(&block, text.data() + text.size() - TextBlock::bytes, TextBlock::bytes);
    const std::size_t bits = 8 * (TextBlock::bytes - rest);
    block.low = bits < 64 ? block.low >> bits | block.high << (64 - bits) : block.high >> (bits - 64);
    block.high = bits < 64 ? block.high >> bits : 0;
  }
  return block;
}

/// Returns eight times the same byte.
constexpr std::uint64_t eight_times(unsigned char byte) {
  return byte * std::uint64_t{0x0101010101010101};
}

/// Returns the bytes of `eight` that are from `first` to `last`, which are ASCII.
constexpr std::uint64_t bytes_between(std::uint64_t eight, unsigned char first, unsigned char last) {
  const std::uint64_t low_bits = eight & eight_times(0x7F);
  const std::uint64_t at_least_first = low_bits + eight_times(static_cast<unsigned char>(0x80 - first));
  const std::uint64_t over_last = low_bits + eight_times(static_cast<unsigned char>(0x7F - last));
  return at_least_first & ~over_last & ~eight & eight_times(0x80);
}

/// Returns the ASCII letters of a block.
constexpr TextBlock ascii_letters(const TextBlock& block) {
  constexpr std::uint64_t lower_case = eight_times(0x20);
  return {bytes_between(block.low | lower_case, 'a', 'z'), bytes_between(block.high | lower_case, 'a', 'z')};
}

/// Returns the ASCII digits of a block.
constexpr TextBlock ascii_digits(const TextBlock& block) {
  return {bytes_between(block.low, '0', '9'), bytes_between(block.high, '0', '9')};
}

/// Returns the number of bytes from the first one on that are in a set.
constexpr std::size_t leading_bytes(const TextBlock& set) {
  const std::uint64_t low_others = ~set.low & eight_times(0x80);
  const std::uint64_t high_others = ~set.high & eight_times(0x80);
  const auto first = [](std::uint64_t others) { return static_cast<std::size_t>(std::countr_zero(others)) / 8; };
  return low_others != 0 ? first(low_others) : 8 + first(high_others);
}

/// A word of at most 15 bytes, as the key of a WordCache: its bytes, and its length in the last byte. Bits 60 to 63 of
/// `high` are 0.
struct WordKey {
  static constexpr std::size_t longest = TextBlock::bytes - 1;

  WordKey() = default;

  /// Makes the key of the first `length` <= `longest` bytes of a block.
  WordKey(const TextBlock& block, std::size_t length)
      : low(block.low & bytes_before[length].low),
        high((block.high & bytes_before[length].high) | std::uint64_t{length} << 56) {}

  std::size_t length() const { return high >> 56; }

  std::uint64_t low;
  std::uint64_t high;

 private:
  static constexpr std::array<TextBlock, TextBlock::bytes> bytes_before = [] {
    std::array<TextBlock, TextBlock::bytes> masks{};
    for (std::size_t length = 1; length < masks.size(); ++length) {
      masks[length] = masks[length - 1];
      (length <= 8 ? masks[length].low : masks[length].high) |= std::uint64_t{0xFF} << (length - 1) % 8 * 8;
    }
    return masks;
  }();
};

}  // namespace gausscse
