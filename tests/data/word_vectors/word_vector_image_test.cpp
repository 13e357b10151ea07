#include "data/word_vectors/word_vector_image.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "base/philox.hpp"
#include "tests/support/disturbances.hpp"
#include "tests/support/refusal.hpp"

namespace gausscse {
namespace {

using testing_support::refusal_of;
using testing_support::says;

const std::string key(32, 'k');

std::string bytes_of_image(const WordVectorTable& table) {
  const WordVectorImageParts parts(table, key);
  std::string joined;
  for (const std::string_view part : parts.image().parts()) joined += part;
  EXPECT_EQ(joined.size(), parts.image().size());
  return joined;
}

/// An image that begins at a multiple of 8.
class Aligned {
 public:
  explicit Aligned(std::string_view bytes) : words_(bytes.size() / 8 + 1), size_(bytes.size()) {
    std::memcpy(words_.data(), bytes.data(), bytes.size());
  }
  std::string_view bytes() const { return {reinterpret_cast<const char*>(words_.data()), size_}; }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_;
};

WordVectorTable small_table() {
  WordVectorTable table(3);
  table.set("one", std::vector{1.0f, 2.0f, 3.0f});
  table.set("", std::vector{4.0f, 5.0f, 6.0f});
  table.set("three", std::vector{7.0f, 8.0f, 9.0f});
  table.set("one", std::vector{-1.0f, -2.0f, -3.0f});
  return table;
}

TEST(WordVectorImage, HoldsTheLastVectorOfEachWord) {
  const Aligned image(bytes_of_image(small_table()));
  const WordVectorImage view(image.bytes(), key);
  ASSERT_EQ(view.words(), 3u);
  EXPECT_EQ(view.width(), 3u);
  EXPECT_EQ(view.repeated(), 1u);
  EXPECT_EQ(view.find("one"), 0u);
  EXPECT_EQ(view.find(""), 1u);
  EXPECT_EQ(view.find("three"), 2u);
  for (const char* other : {"One", "on", "one ", "tthree", "x"}) EXPECT_EQ(view.find(other), std::nullopt) << other;
  EXPECT_EQ(view.word(0), "one");
  EXPECT_EQ(view.word(1), "");
  EXPECT_EQ(view.word(2), "three");
  const std::vector<float> rows(view.rows().begin(), view.rows().end());
  EXPECT_EQ(rows, (std::vector<float>{-1, -2, -3, 4, 5, 6, 7, 8, 9}));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(view.row_is_whole(i));
}

/// Enough words for long runs of taken slots, and rows for several blocks.
TEST(WordVectorImage, FindsEveryOneOfManyWords) {
  constexpr std::size_t words = 20'000, width = 1000;
  WordVectorTable table(width);
  std::vector<float> row(width);
  for (std::size_t i = 0; i < words; ++i) {
    row.assign(width, static_cast<float>(i));
    table.set("w" + std::to_string(i * 7919), row);
  }
  ASSERT_GT(table.blocks().size(), 1u);
  row.assign(width, -1.0f);
  table.set("w" + std::to_string(16'900 * 7919), row);  // in the second block
  const Aligned image(bytes_of_image(table));
  const WordVectorImage view(image.bytes(), key);
  for (std::size_t i = 0; i < words; ++i) {
    ASSERT_EQ(view.find("w" + std::to_string(i * 7919)), i);
    ASSERT_EQ(view.find("v" + std::to_string(i)), std::nullopt);
    ASSERT_EQ(view.rows()[i * width + i % width], i == 16'900 ? -1.0f : static_cast<float>(i));
    ASSERT_TRUE(view.row_is_whole(i));
  }
}

/// Of the rows a flipped bit is told of the row, of all else at once.
TEST(WordVectorImage, EveryFlippedBitIsNoticed) {
  const std::string whole = bytes_of_image(small_table());
  const std::size_t rows = whole.size() - aligned(9 * sizeof(float));
  const std::size_t padding = whole.size() - 4;
  for (std::size_t bit = 0; bit < 8 * padding; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    const Aligned image(flipped);
    if (bit / 8 < rows) {
      ASSERT_NE(refusal_of([&] { WordVectorImage(image.bytes(), key); }), "accepted") << bit;
      continue;
    }
    const WordVectorImage view(image.bytes(), key);
    const std::size_t row = (bit / 8 - rows) / (3 * sizeof(float));
    for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(view.row_is_whole(i), i != row) << bit;
  }
  testing_support::count_disturbance("flipped bits in files", 8 * padding);
}

TEST(WordVectorImage, EveryPrefixIsRefused) {
  const std::string whole = bytes_of_image(small_table());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Aligned image(whole.substr(0, length));
    ASSERT_NE(refusal_of([&] { WordVectorImage(image.bytes(), key); }), "accepted") << length;
  }
  const Aligned longer(whole + std::string(8, '\0'));
  EXPECT_TRUE(
      says(refusal_of([&] { WordVectorImage(longer.bytes(), key); }), "its length differs from that in the header"));
}

TEST(WordVectorImage, OneOfAnotherTextIsRefused) {
  const Aligned image(bytes_of_image(small_table()));
  EXPECT_TRUE(
      says(refusal_of([&] { WordVectorImage(image.bytes(), std::string(32, 'x')); }), "made from something else"));
  const Aligned other(std::string(4096, 'x'));
  EXPECT_TRUE(
      says(refusal_of([&] { WordVectorImage(other.bytes(), key); }), "does not begin as an index of word vectors"));
}

}  // namespace
}  // namespace gausscse
