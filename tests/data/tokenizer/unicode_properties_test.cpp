#include "data/tokenizer/unicode_properties.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "base/error.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

// The lines of a golden of hexadecimal numbers: the first, and the others.
std::map<char32_t, std::u32string> read_mapping(const std::string& name) {
  std::ifstream file(testing_support::golden(concat("tokenizer/", name)));
  std::map<char32_t, std::u32string> mapping;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    words >> std::hex;
    unsigned code_point = 0;
    words >> code_point;
    for (unsigned c = 0; words >> c;) mapping[code_point].push_back(c);
  }
  return mapping;
}

bool is_surrogate(char32_t c) {
  return c >= 0xD800 && c <= 0xDFFF;
}

bool is_hangul_syllable(char32_t c) {
  return c >= 0xAC00 && c <= 0xD7A3;
}

// By the Unicode standard's arithmetic (section 3.12).
std::u32string decompose_hangul(char32_t c) {
  const char32_t index = c - 0xAC00;
  std::u32string out;
  out.push_back(0x1100 + index / 588);
  out.push_back(0x1161 + index % 588 / 28);
  if (index % 28 != 0) out.push_back(0x11A7 + index % 28);
  return out;
}

std::string classes_of(char32_t c) {
  std::string classes;
  if (is_removed_by_clean_text(c)) classes += 'r';
  if (is_white_space(c)) classes += 's';
  if (is_bert_punctuation(c)) classes += 'p';
  if (is_cjk_ideograph(c)) classes += 'c';
  if (is_nonspacing_mark(c)) classes += 'm';
  classes += "LNSO"[static_cast<int>(byte_level_class(c))];
  if (is_word_character(c)) classes += 'w';
  return classes;
}

TEST(UnicodeProperties, ClassesOfAllCodePointsAreTheReferences) {
  std::ifstream file(testing_support::golden("tokenizer/code_points.txt"));
  std::size_t compared = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    unsigned first = 0;
    unsigned last = 0;
    std::string classes;
    words >> std::hex >> first >> last >> classes;
    for (char32_t c = first; c <= last; ++c, ++compared)
      ASSERT_EQ(classes_of(c), classes) << std::hex << static_cast<std::uint32_t>(c);
  }
  EXPECT_EQ(compared, 0x110000u - 0x800u);
}

TEST(UnicodeProperties, LowerCaseOfAllCodePointsIsTheReferences) {
  const auto golden = read_mapping("lower_case.txt");
  ASSERT_GT(golden.size(), 1400u);
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (is_surrogate(c)) continue;
    std::u32string lower;
    append_lower_case(c, lower);
    const auto found = golden.find(c);
    ASSERT_EQ(lower, found != golden.end() ? found->second : std::u32string(1, c)) << static_cast<std::uint32_t>(c);
  }
}

TEST(UnicodeProperties, DecompositionOfAllCodePointsIsTheReferences) {
  const auto golden = read_mapping("decomposition.txt");
  ASSERT_GT(golden.size(), 2000u);
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (is_surrogate(c)) continue;
    const auto found = golden.find(c);
    const std::u32string expected = is_hangul_syllable(c)   ? decompose_hangul(c)
                                    : found != golden.end() ? found->second
                                                            : std::u32string(1, c);
    std::u32string decomposition;
    append_decomposition(c, decomposition);
    ASSERT_EQ(decomposition, expected) << static_cast<std::uint32_t>(c);
  }
}

TEST(UnicodeProperties, CombiningClassesOrderMarksAsTheReferenceDoes) {
  const auto golden = read_mapping("combining.txt");  // the ordinal of the class
  ASSERT_GT(golden.size(), 800u);
  std::map<char32_t, int> class_of_rank;
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (is_surrogate(c)) continue;
    const auto found = golden.find(c);
    std::u32string decomposition;
    append_decomposition(c, decomposition);
    if (found == golden.end()) {
      if (decomposition.size() == 1 && decomposition[0] == c) {
        ASSERT_EQ(combining_class(c), 0) << static_cast<std::uint32_t>(c);
      }
      continue;
    }
    ASSERT_NE(combining_class(c), 0) << static_cast<std::uint32_t>(c);
    const auto [at, inserted] = class_of_rank.emplace(found->second.at(0), combining_class(c));
    ASSERT_EQ(at->second, combining_class(c)) << static_cast<std::uint32_t>(c);
  }
  int previous = 0;
  for (const auto& [rank, value] : class_of_rank) {
    EXPECT_GT(value, previous);
    previous = value;
  }
  EXPECT_GT(class_of_rank.size(), 50u);
}

}  // namespace
}  // namespace gausscse
