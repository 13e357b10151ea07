#include "data/word_vectors/row_tokenizer.hpp"

#include <thread>

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

RowTokenizer rows_of(std::initializer_list<const char*> texts, std::vector<std::uint32_t> rows, std::size_t all) {
  StringTable table;
  for (const char* text : texts) table.intern(text);
  return RowTokenizer(std::move(table), std::move(rows), all, "hash");
}

TEST(RowTokenizer, GivesTheRowOfASentenceByItsBytes) {
  const RowTokenizer tokenizer = rows_of({"a b", "A b", ""}, {0, 2, 3}, 4);
  std::vector<std::uint32_t> ids{7};
  for (const char* text : {"A b", "", "a b"}) EXPECT_FALSE(tokenizer.encode(text, 1, ids));
  EXPECT_EQ(ids, (std::vector<std::uint32_t>{7, 2, 3, 0}));
  EXPECT_TRUE(tokenizer.missing().empty());
  EXPECT_EQ(tokenizer.vocabulary_size(), 5u);
  EXPECT_EQ(tokenizer.tokens(), (std::vector<std::string>{"a b", "", "A b", "", ""}));
  EXPECT_EQ(tokenizer.fingerprint(), "hash");
  EXPECT_TRUE(tokenizer.files().empty());
}

TEST(RowTokenizer, RemembersSentencesWithoutARow) {
  const RowTokenizer tokenizer = rows_of({"x"}, {0}, 1);
  const auto encode = [&] {
    std::vector<std::uint32_t> ids;
    for (int i = 0; i < 100; ++i)
      for (const char* text : {"y", "x ", "x"}) tokenizer.encode(text, 3, ids);
    EXPECT_EQ(ids[0], 1u);
    EXPECT_EQ(ids[299], 0u);
  };
  std::thread other(encode);
  encode();
  other.join();
  EXPECT_EQ(tokenizer.missing(), (std::set<std::string>{"x ", "y"}));
}

TEST(RowTokenizer, NeedsARowForEachText) {
  EXPECT_THROW(rows_of({"x", "y"}, {0}, 2), std::logic_error);
}

}  // namespace
}  // namespace gausscse
