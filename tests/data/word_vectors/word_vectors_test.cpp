#include "data/word_vectors/word_vectors.hpp"

#include "base/content_hash.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

class WordVectorsTest : public testing::Test {
 protected:
  WordVectorsTest() { write_bytes(text_, "cat 1 2\ndog 3 4\ncat 5 6\n"); }

  static std::vector<float> row_of(const WordVectors& vectors, std::uint32_t number) {
    const std::span<const float> row = vectors.row(number);
    return {row.begin(), row.end()};
  }

  TemporaryFolder folder_;
  std::filesystem::path text_ = folder_ / "vectors.txt";
};

TEST_F(WordVectorsTest, AreThoseOfTheTextTheLastOfEachWord) {
  WordVectors read(text_);
  const float* const first = read.row(0).data();
  const WordVectors vectors = std::move(read);
  EXPECT_EQ(vectors.row(0).data(), first);
  EXPECT_EQ(vectors.words(), 2u);
  EXPECT_EQ(vectors.width(), 2u);
  EXPECT_EQ(vectors.repeated(), 1u);
  EXPECT_EQ(vectors.find("cat"), 0u);
  EXPECT_EQ(vectors.find("dog"), 1u);
  EXPECT_EQ(vectors.find("Cat"), std::nullopt);
  EXPECT_EQ(vectors.word(1), "dog");
  EXPECT_EQ(row_of(vectors, 0), (std::vector<float>{5, 6}));
  EXPECT_EQ(row_of(vectors, 1), (std::vector<float>{3, 4}));
  EXPECT_EQ(vectors.content_hash(), content_hash(text_));
}

TEST_F(WordVectorsTest, ReportHowFarTheTextIsRead) {
  std::vector<std::uint64_t> done;
  const WordVectors vectors(text_, [&](auto now, auto all) {
    EXPECT_EQ(all, std::filesystem::file_size(text_));
    done.push_back(now);
  });
  ASSERT_FALSE(done.empty());
  EXPECT_EQ(done.back(), std::filesystem::file_size(text_));
}

TEST_F(WordVectorsTest, BadTextIsRefused) {
  write_bytes(text_, "cat 1 2\ndog 3\n");
  EXPECT_TRUE(says(refusal_of([&] { WordVectors vectors(text_); }), text_.string() + ":2: the line has 1 values"));
  std::filesystem::remove(text_);
  EXPECT_TRUE(says(refusal_of([&] { WordVectors vectors(text_); }), text_.string()));
}

}  // namespace
}  // namespace gausscse
