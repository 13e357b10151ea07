#include "data/word_vectors/word_vectors.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Ids = std::vector<std::uint32_t>;

class WordTokenizerTest : public testing::Test {
 protected:
  WordTokenizerTest() {
    write_bytes(folder_ / "v.txt", "the 1\nThe 2\ncat. 3\ncat 4\n. . 5\n\xC3\xA9t\xC3\xA9 6\n");
    tokenizer_.emplace(std::make_shared<const WordVectors>(folder_ / "v.txt"));
  }

  Ids ids_of(std::string_view sentence, std::size_t max_tokens = 100) {
    Ids ids{99};
    cut_ = tokenizer_->encode(sentence, max_tokens, ids);
    EXPECT_EQ(ids.at(0), 99u);
    ids.erase(ids.begin());
    return ids;
  }

  TemporaryFolder folder_;
  std::optional<WordTokenizer> tokenizer_;
  bool cut_ = false;
};

/// Goldens: Python's str.split, and a look-up of each word.
TEST_F(WordTokenizerTest, TakesWordsBetweenWhiteSpaceAsTheyAreWritten) {
  EXPECT_EQ(ids_of("The cat. the cat"), (Ids{1, 2, 0, 3}));
  EXPECT_EQ(ids_of("the the the"), (Ids{0, 0, 0}));
  EXPECT_EQ(ids_of("  the\t\tcat\n"), (Ids{0, 3}));
  EXPECT_EQ(ids_of("the\xC2\xA0"
                   "cat\xE3\x80\x80the\x1F"
                   "cat\x0B"),
            (Ids{0, 3, 0, 3}));
  EXPECT_EQ(ids_of("\xC3\xA9t\xC3\xA9"), (Ids{5}));
  EXPECT_FALSE(cut_);
}

TEST_F(WordTokenizerTest, LeavesWordsWithoutAVectorOut) {
  EXPECT_EQ(ids_of("THE cat! cat"), (Ids{3}));
  EXPECT_EQ(ids_of(". ."), Ids{});  // a word with a blank inside is never met
  EXPECT_EQ(ids_of("nothing known"), Ids{});
  EXPECT_EQ(ids_of(""), Ids{});
  EXPECT_EQ(ids_of(" \t "), Ids{});
  EXPECT_EQ(ids_of("\xFF the"), Ids{0});
}

TEST_F(WordTokenizerTest, CutsFromTheEnd) {
  EXPECT_EQ(ids_of("the cat the", 2), (Ids{0, 3}));
  EXPECT_TRUE(cut_);
  EXPECT_EQ(ids_of("the cat unknown", 2), (Ids{0, 3}));
  EXPECT_FALSE(cut_);
}

TEST_F(WordTokenizerTest, ReportsItsWords) {
  EXPECT_EQ(tokenizer_->vocabulary_size(), 6u);
  EXPECT_EQ(tokenizer_->tokens(), (std::vector<std::string>{"the", "The", "cat.", "cat", ". .", "\xC3\xA9t\xC3\xA9"}));
  EXPECT_TRUE(tokenizer_->files().empty());
}

}  // namespace
}  // namespace gausscse
