#include "data/corpus/string_table.hpp"

#include <unordered_map>

#include "base/philox.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Among 150,000 texts two or three pairs have the same 32 bits of a hash.
TEST(StringTable, NumbersTextsAsAMapDoes) {
  PhiloxStream random(1, 0);
  StringTable table;
  std::unordered_map<std::string, std::uint32_t> expected;
  std::vector<std::string_view> views;
  for (int i = 0; i < 150000; ++i) {
    std::string text;
    for (std::uint32_t length = random.below(9); length > 0; --length) text += "\0abcdefg"[random.below(8)];
    EXPECT_EQ(table.find(text).has_value(), expected.contains(text));
    const auto [place, is_new] = expected.emplace(text, static_cast<std::uint32_t>(expected.size()));
    ASSERT_EQ(table.intern(text), place->second);
    if (is_new) views.push_back(table[place->second]);
  }
  ASSERT_EQ(table.size(), expected.size());
  const StringTable moved = std::move(table);
  for (const auto& [text, number] : expected) {
    ASSERT_EQ(moved.find(text), number);
    ASSERT_EQ(moved[number], text);
    ASSERT_EQ(views[number], text) << "views last";
  }
  EXPECT_EQ(moved.find("not there"), std::nullopt);
}

/// More than fit the first blocks and the first large pages.
TEST(StringTable, KeepsManyTexts) {
  StringTable table;
  const auto text = [](std::uint32_t i) { return std::to_string(i) + std::string(i % 97, 'x'); };
  for (std::uint32_t i = 0; i < 200000; i += 2) {
    const std::string first = text(i), second = text(i + 1);
    const std::string_view texts[] = {second, first, second};
    std::uint32_t numbers[3];
    table.intern(texts, numbers);
    ASSERT_EQ(numbers[0], i);
    ASSERT_EQ(numbers[1], i + 1);
    ASSERT_EQ(numbers[2], i);
  }
  for (std::uint32_t i = 0; i < 200000; ++i) ASSERT_EQ(table[i], text(i ^ 1));
  table = StringTable();
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.intern("again"), 0u);
}

TEST(StringTable, KeepsTextsOfAnyLength) {
  StringTable table;
  EXPECT_EQ(table.find(""), std::nullopt);
  const std::string large(3 << 20, 'x');
  const std::string half(700 << 10, 'y');
  EXPECT_EQ(table.intern("a"), 0u);
  EXPECT_EQ(table.intern(large), 1u);
  EXPECT_EQ(table.intern(""), 2u);
  EXPECT_EQ(table.intern(half), 3u);
  EXPECT_EQ(table.intern(half + "z"), 4u);
  EXPECT_EQ(table.intern(large), 1u);
  EXPECT_EQ(table[0], "a");
  EXPECT_EQ(table[1], large);
  EXPECT_EQ(table[2], "");
  EXPECT_EQ(table[3], half);
  EXPECT_EQ(table[4], half + "z");
}

}  // namespace
}  // namespace gausscse
