#include "data/tokenizer/unicode_properties.hpp"

#include "data/tokenizer/grapheme_clusters.hpp"
#include "data/tokenizer/utf8_text.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

constexpr char32_t block_size = 4096;
constexpr char32_t all_code_points = 0x110000;

bool is_surrogate(char32_t c) {
  return c >= 0xD800 && c <= 0xDFFF;
}

// Hexadecimal numbers; empty if the text is the code point itself.
std::string hexadecimal_if_changed(char32_t c, const std::u32string& text) {
  if (text == std::u32string(1, c)) return "";
  std::string numbers;
  std::array<char, 16> number{};
  for (const char32_t each : text) {
    std::snprintf(number.data(), number.size(), "%X", static_cast<unsigned>(each));
    numbers += concat(numbers.empty() ? "" : " ", number.data());
  }
  return numbers;
}

std::u32string decomposition(char32_t c) {
  std::u32string text;
  append_decomposition(c, text);
  return text;
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

std::string lower_case_of(char32_t c) {
  std::u32string lower;
  append_lower_case(c, lower);
  return hexadecimal_if_changed(c, lower);
}

// Number of smaller classes of marks; empty for a code point that is no mark or decomposes.
std::string rank_of(char32_t c) {
  static const std::set<int> classes = [] {
    std::set<int> found;
    for (char32_t each = 0; each < all_code_points; ++each)
      if (!is_surrogate(each) && decomposition(each) == std::u32string(1, each)) found.insert(combining_class(each));
    found.erase(0);
    return found;
  }();
  const auto at = classes.find(combining_class(c));
  if (at == classes.end() || decomposition(c) != std::u32string(1, c)) return "";
  return std::to_string(std::distance(classes.begin(), at));
}

bool has_cluster_end(std::string_view text, std::size_t offset) {
  std::size_t end = 0;
  while (end < offset) end = grapheme_cluster_end(text, end);
  return end == offset;
}

// The letters are those of make_tokenizer.py.
std::string cluster_classes_of(char32_t c) {
  std::string text = "a";
  append_utf8(c, text);
  const std::size_t size = text.size() - 1;
  const bool extends = !has_cluster_end(text, 1);
  text.erase(0, 1);
  const bool is_prepended = !has_cluster_end(text + "a", size);
  std::string classes = extends ? "e" : "";
  if ((extends || is_prepended) && !has_cluster_end("\u0916" + text + "\u0915\u0301", 3 + size)) classes += 'l';
  if (!has_cluster_end(text + "\u200d\u00a9", size + 3)) classes += 'g';
  if (is_prepended) classes += 'p';
  if (size == 3 && c != U'\u0915' && !extends && !has_cluster_end(text + "\u0301", 3) &&
      !has_cluster_end("\u0915\u094d" + text, 6))
    classes += 'k';
  return classes;
}

// The hash in tokenizer/unicode.txt of each block.
std::vector<std::string> golden_hashes(const std::string& property) {
  std::ifstream file(golden("tokenizer/unicode.txt"));
  std::vector<std::string> hashes;
  std::string name;
  std::string hash;
  for (std::size_t first = 0; file >> name >> std::hex >> first >> hash;) {
    if (name != property) continue;
    if (!hashes.empty()) hashes.resize(first / block_size, hashes.back());
    hashes.push_back(hash);
  }
  if (!hashes.empty()) hashes.resize(all_code_points / block_size, hashes.back());
  return hashes;
}

// `value` of each code point against the reference, a block at a time. The script prints the reference's values.
void expect_golden(const std::string& property, const std::function<std::string(char32_t)>& value) {
  const std::vector<std::string> expected = golden_hashes(property);
  ASSERT_EQ(expected.size(), all_code_points / block_size);
  for (char32_t first = 0; first < all_code_points; first += block_size) {
    std::uint64_t hash = 0xCBF29CE484222325;  // FNV-1a
    std::string values;
    for (char32_t c = first; c < first + block_size; ++c) {
      const std::string text = is_surrogate(c) ? "" : value(c);
      for (const char byte : text + "\n") hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
      if (!text.empty())
        values += concat(property, " ", hexadecimal_if_changed(0, std::u32string(1, c)), " ", text, "\n");
    }
    std::array<char, 17> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(hash));
    ASSERT_EQ(digits.data(), expected[first / block_size])
        << "compare with make_tokenizer.py --block " << hexadecimal_if_changed(1, std::u32string(1, first)) << ":\n"
        << values;
  }
}

TEST(UnicodeProperties, ClassesOfAllCodePointsAreTheReferences) {
  expect_golden("classes", classes_of);
}

TEST(UnicodeProperties, LowerCaseOfAllCodePointsIsTheReferences) {
  expect_golden("lower_case", lower_case_of);
}

TEST(UnicodeProperties, DecompositionOfAllCodePointsIsTheReferences) {
  expect_golden("decomposition", [](char32_t c) { return hexadecimal_if_changed(c, decomposition(c)); });
}

TEST(UnicodeProperties, CombiningClassesOrderMarksAsTheReferenceDoes) {
  expect_golden("combining", rank_of);
}

TEST(UnicodeProperties, ClustersOfAllCodePointsAreTheReferences) {
  expect_golden("clusters", cluster_classes_of);
}

/// By UAX #29.
TEST(GraphemeClusters, EndWhereTheRulesSay) {
  const auto clusters = [](std::string_view text) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
      end = grapheme_cluster_end(text, begin);
      parts.emplace_back(text.substr(begin, end - begin));
    }
    return parts;
  };
  using Parts = std::vector<std::string>;
  EXPECT_EQ(clusters("\r\n\r\u0301a\u0301\u0302b"), (Parts{"\r\n", "\r", "\u0301", "a\u0301\u0302", "b"}));
  EXPECT_EQ(clusters("\u1100\u1100\u1161\u1161\u1100\uac01\u1100a"),
            (Parts{"\u1100\u1100\u1161\u1161", "\u1100\uac01", "\u1100", "a"}));
  EXPECT_EQ(clusters("\u1100\u1161\u11a8\u1100\uac00\u11a8\uac01\u1161\u11a8\u11a8"),
            (Parts{"\u1100\u1161\u11a8", "\u1100\uac00\u11a8", "\uac01", "\u1161\u11a8\u11a8"}));
  EXPECT_EQ(clusters("\U0001F1E9\U0001F1EA\U0001F1EB\U0001F1F7\U0001F1E9a"),
            (Parts{"\U0001F1E9\U0001F1EA", "\U0001F1EB\U0001F1F7", "\U0001F1E9", "a"}));
  EXPECT_EQ(clusters("\u00a9\ufe0f\u200d\u00a9\u00a9\u200d\u200d\u00a9a\u200d\u00a9"),
            (Parts{"\u00a9\ufe0f\u200d\u00a9", "\u00a9\u200d\u200d", "\u00a9", "a\u200d", "\u00a9"}));
  EXPECT_EQ(clusters("\u0915\u094d\u200d\u0937\u0903\u094d\u0937\u0915\u200c\u094d\u0937"),
            (Parts{"\u0915\u094d\u200d\u0937\u0903\u094d", "\u0937", "\u0915\u200c\u094d", "\u0937"}));
  EXPECT_EQ(clusters("\u0600\u0600a\u0600 \u0600"), (Parts{"\u0600\u0600a", "\u0600 ", "\u0600"}));
}

}  // namespace
}  // namespace gausscse
