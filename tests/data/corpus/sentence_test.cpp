#include "data/corpus/sentence.hpp"

#include "tests/data/corpus/corpus_test_helpers.hpp"

namespace gausscse {
namespace {

std::string utf8(char32_t code) {
  std::string text;
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) {
    text += static_cast<char>(0xC0 | code >> 6);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | code >> 12);
    text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
  } else {
    text += static_cast<char>(0xF0 | code >> 18);
    text += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
  }
  return text + static_cast<char>(0x80 | (code & 0x3F));
}

/// Returns true for the property White_Space in PropList.txt of Unicode 15.
bool is_white_space(char32_t code) {
  return (code >= 0x9 && code <= 0xD) || code == 0x20 || code == 0x85 || code == 0xA0 || code == 0x1680 ||
         (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F ||
         code == 0x3000;
}

TEST(Sentence, TrimsUnicodeWhiteSpaceAndNothingElse) {
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    const std::string text = utf8(code);
    const std::string_view result = trimmed(text);
    ASSERT_EQ(result, is_white_space(code) ? "" : text) << static_cast<unsigned>(code);
    ASSERT_EQ(trimmed(text + "a" + text), is_white_space(code) ? "a" : text + "a" + text);
  }
  EXPECT_EQ(trimmed(" \xE2\x80\x83 a b \xE3\x80\x80\n"), "a b");
  EXPECT_EQ(trimmed(""), "");
}

/// Python's str.split() takes U+001C to U+001F for white space, too.
TEST(Sentence, RunsOfWhiteSpaceBecomeOneBlank) {
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    const std::string text = utf8(code);
    const bool space = is_white_space(code) || (code >= 0x1C && code <= 0x1F);
    ASSERT_EQ(with_single_blanks(text + "a" + text + text + "b" + text),
              space ? "a b" : text + "a" + text + text + "b" + text)
        << static_cast<unsigned>(code);
  }
  EXPECT_EQ(with_single_blanks(" \xE2\x80\x83 a \t b\x1C"), "a b");
  EXPECT_EQ(with_single_blanks(" \n"), "");
}

TEST(Sentence, RefusesEmptyAndInvalid) {
  EXPECT_EQ(checked_sentence(" a ", "x", true), "a");
  EXPECT_EQ(checked_sentence(" a ", "x", false), " a ");
  EXPECT_HAS(input_error([] { checked_sentence("", "x", false); }), "the sentence \"x\" is empty,");
  for (const bool trim : {true, false})
    EXPECT_HAS(input_error([&] { checked_sentence(" \t\xC2\xA0", "x", trim); }), "is empty (only white space)");
  EXPECT_HAS(input_error([] { checked_sentence("ab\xC3", "x", false); }), "byte 3 (\"\\xc3\") is not valid UTF-8");
}

}  // namespace
}  // namespace gausscse
