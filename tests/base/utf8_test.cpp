#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Returns the length of the letter that `bytes` begin with, by the definition: the bits of its bytes, and that it
/// could not be written in fewer.
std::size_t defined_length(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (bytes.empty()) return 0;
  if (byte(0) < 0x80) return 1;
  std::size_t length = 0;
  while (byte(0) << length & 0x80) ++length;
  if (length < 2 || length > 4 || bytes.size() < length) return 0;
  unsigned code = byte(0) & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (byte(i) >> 6 != 2) return 0;
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  constexpr std::array<unsigned, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  return code >= least[length] && code <= 0x10FFFF && !is_surrogate ? length : 0;
}

/// Every first two bytes, with those behind them at the edges of their range.
TEST(Utf8, SequencesAreWellFormedByTheirDefinition) {
  constexpr std::array<int, 6> behind{0x00, 0x7F, 0x80, 0xBF, 0xC0, 0xFF};
  for (int first = 0; first < 256; ++first)
    for (int second = 0; second < 256; ++second)
      for (const int third : behind)
        for (const int fourth : behind) {
          const std::string bytes{static_cast<char>(first), static_cast<char>(second), static_cast<char>(third),
                                  static_cast<char>(fourth)};
          for (std::size_t size = 0; size <= bytes.size(); ++size) {
            const std::string_view text = std::string_view(bytes).substr(0, size);
            ASSERT_EQ(utf8_sequence_length(text), defined_length(text))
                << std::hex << first << ' ' << second << ' ' << third << ' ' << fourth << ", the first " << size;
          }
        }
}

TEST(Utf8, TheFirstIllFormedByteIsFoundWhereverItIs) {
  for (const std::string letter : {"a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x99\x82"})
    for (std::size_t before = 0; before < 70; ++before) {
      const std::string text = std::string(before, 'x') + letter;
      EXPECT_EQ(find_invalid_utf8(text), std::string_view::npos);
      EXPECT_EQ(find_invalid_utf8(text + "\xff" + std::string(9, 'x') + "\xff"), text.size());
      EXPECT_EQ(find_invalid_utf8(text + "\xc3"), text.size()) << "cut at the end";
      EXPECT_EQ(find_invalid_utf8(text + "\xe2\x82" + "xxxxxxxx"), text.size());
    }
  EXPECT_EQ(find_invalid_utf8(""), std::string_view::npos);
}

}  // namespace
}  // namespace gausscse
