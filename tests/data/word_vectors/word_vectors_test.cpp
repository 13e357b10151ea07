#include "data/word_vectors/word_vectors.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "base/content_hash.hpp"
#include "base/file.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

using testing_support::refusal_of;
using testing_support::says;
using testing_support::TemporaryFolder;
using testing_support::write_bytes;

class WordVectorsTest : public testing::Test {
 protected:
  WordVectorsTest() { write_bytes(text_, "cat 1 2\ndog 3 4\ncat 5 6\n"); }

  WordVectors open() const {
    return WordVectors::open(text_, {.index_folder = cache_, .hash_folder = folder_ / "hashes"});
  }

  std::vector<fs::path> indexes() const {
    std::vector<fs::path> found;
    if (fs::exists(cache_))
      for (const auto& entry : fs::directory_iterator(cache_)) found.push_back(entry.path());
    return found;
  }

  static std::vector<float> row_of(const WordVectors& vectors, std::size_t number) {
    const std::span<const float> row = vectors.row(number);
    return {row.begin(), row.end()};
  }

  static void expect_right(const WordVectors& vectors) {
    EXPECT_EQ(vectors.words(), 2u);
    EXPECT_EQ(vectors.width(), 2u);
    EXPECT_EQ(vectors.repeated(), 1u);
    EXPECT_EQ(vectors.find("cat"), 0u);
    EXPECT_EQ(vectors.find("dog"), 1u);
    EXPECT_EQ(vectors.find("Cat"), std::nullopt);
    EXPECT_EQ(vectors.word(1), "dog");
    EXPECT_EQ(row_of(vectors, 0), (std::vector<float>{5, 6}));
    EXPECT_EQ(row_of(vectors, 1), (std::vector<float>{3, 4}));
  }

  TemporaryFolder folder_;
  fs::path text_ = folder_ / "vectors.txt";
  fs::path cache_ = folder_ / "cache";
};

TEST_F(WordVectorsTest, AreTheSameFromTheTextAndFromItsIndex) {
  const WordVectors first = open();
  expect_right(first);
  EXPECT_FALSE(first.from_index());
  EXPECT_TRUE(first.warnings().empty());
  EXPECT_EQ(first.content_hash(), content_hash(text_));
  ASSERT_EQ(indexes().size(), 1u);
  const WordVectors again = open();
  expect_right(again);
  EXPECT_TRUE(again.from_index());
  EXPECT_TRUE(again.warnings().empty());
  EXPECT_EQ(indexes().size(), 1u);
}

/// The same text by another name needs no other index; another text has its own.
TEST_F(WordVectorsTest, AnIndexBelongsToATextsContent) {
  open();
  fs::rename(text_, folder_ / "other.txt");
  text_ = folder_ / "other.txt";
  EXPECT_TRUE(open().from_index());
  write_bytes(text_, "cat 1 2\ndog 3 5\n");
  const WordVectors changed = open();
  EXPECT_FALSE(changed.from_index());
  EXPECT_EQ(row_of(changed, 1), (std::vector<float>{3, 5}));
  EXPECT_EQ(changed.repeated(), 0u);
  EXPECT_TRUE(open().from_index());
  EXPECT_EQ(indexes().size(), 2u);
}

TEST_F(WordVectorsTest, AnIndexThatIsDamagedOrForeignIsMadeAnew) {
  open();
  const fs::path index = indexes().at(0);
  const std::string whole = read_whole_file(index, 1 << 20);
  std::string flipped = whole;
  flipped[150] = static_cast<char>(flipped[150] ^ 1);
  for (const std::string& bytes : {whole.substr(0, whole.size() - 8), flipped, std::string(), std::string("x")}) {
    write_bytes(index, bytes);
    const WordVectors vectors = open();
    expect_right(vectors);
    EXPECT_FALSE(vectors.from_index());
    ASSERT_EQ(vectors.warnings().size(), 1u);
    EXPECT_TRUE(says(vectors.warnings()[0], index.string() + " cannot be used ("));
    EXPECT_EQ(read_whole_file(index, 1 << 20), whole);
  }
  // The index of another text under this one's name.
  write_bytes(text_, "cat 1 2\n");
  open();
  const std::vector<fs::path> both = indexes();
  ASSERT_EQ(both.size(), 2u);
  fs::copy_file(index, both[0] == index ? both[1] : both[0], fs::copy_options::overwrite_existing);
  const WordVectors vectors = open();
  EXPECT_EQ(vectors.words(), 1u);
  EXPECT_TRUE(says(vectors.warnings().at(0), "it was made from something else"));
}

/// Rows are looked at as they are asked for.
TEST_F(WordVectorsTest, ADamagedRowIsNeverGiven) {
  open();
  const fs::path index = indexes().at(0);
  std::string bytes = read_whole_file(index, 1 << 20);
  bytes[bytes.size() - 1] = static_cast<char>(bytes[bytes.size() - 1] ^ 0x40);  // dog's second value
  write_bytes(index, bytes);
  const WordVectors vectors = open();
  EXPECT_TRUE(vectors.from_index());
  EXPECT_EQ(vectors.find("cat"), 0u);
  const std::string message = refusal_of([&] { vectors.find("dog"); });
  EXPECT_TRUE(says(message, index.string() + ": the vector of \"dog\" has changed since it was written"));
}

/// What was read stays; what was not is read with its hash, and its end is no signal.
TEST_F(WordVectorsTest, AnIndexThatChangesWhileItIsOpenIsNoticed) {
  open();
  const fs::path index = indexes().at(0);
  const auto size = static_cast<std::size_t>(fs::file_size(index));
  const WordVectors overwritten = open(), cut = open();
  for (const WordVectors* vectors : {&overwritten, &cut}) EXPECT_EQ(vectors->find("cat"), 0u);
  std::fstream(index, std::ios::in | std::ios::out | std::ios::binary) << std::string(size, '\x7f');
  ASSERT_EQ(fs::file_size(index), size) << "it was changed in place";
  EXPECT_EQ(row_of(overwritten, 0), (std::vector<float>{5, 6}));
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(
        says(refusal_of([&] { overwritten.row(1); }), "the vector of \"dog\" has changed since it was written"));
  EXPECT_TRUE(
      says(refusal_of([&] { overwritten.find("dog"); }), "the vector of \"dog\" has changed since it was written"));
  fs::resize_file(index, size - 12);
  EXPECT_EQ(row_of(cut, 0), (std::vector<float>{5, 6}));
  EXPECT_EQ(cut.word(1), "dog");
  EXPECT_TRUE(says(refusal_of([&] { cut.find("dog"); }), index.string() + ": became shorter while it was in use"));
}

TEST_F(WordVectorsTest, AreHeldInMemoryWhereNoIndexCanBeKept) {
  write_bytes(cache_, "a file where the folder should be");
  const WordVectors vectors = open();
  expect_right(vectors);
  EXPECT_FALSE(vectors.from_index());
  ASSERT_EQ(vectors.warnings().size(), 1u);
  EXPECT_TRUE(says(vectors.warnings()[0], "cannot be kept ("));
  EXPECT_TRUE(says(vectors.warnings()[0], "all of them are held in memory"));
  EXPECT_TRUE(says(vectors.warnings()[0], "unless GAUSSCSE_CACHE names a folder that can be written"));
  const WordVectors without = WordVectors::open(text_, {});
  expect_right(without);
  EXPECT_TRUE(without.warnings().empty());
}

TEST_F(WordVectorsTest, TellHowFarTheTextIsRead) {
  std::vector<std::uint64_t> done;
  const auto open_telling = [&] {
    return WordVectors::open(text_, {.index_folder = cache_, .hash_folder = {}, .on_progress = [&](auto now, auto all) {
                                       EXPECT_EQ(all, fs::file_size(text_));
                                       done.push_back(now);
                                     }});
  };
  open_telling();
  ASSERT_FALSE(done.empty());
  EXPECT_EQ(done.back(), fs::file_size(text_));
  done.clear();
  open_telling();
  EXPECT_TRUE(done.empty());  // it is not read again
}

TEST_F(WordVectorsTest, BadTextIsRefusedAndLeavesNoIndex) {
  write_bytes(text_, "cat 1 2\ndog 3\n");
  EXPECT_TRUE(says(refusal_of([&] { open(); }), text_.string() + ":2: the line has 1 values"));
  EXPECT_TRUE(indexes().empty());
  fs::remove(text_);
  EXPECT_TRUE(says(refusal_of([&] { open(); }), text_.string()));
}

TEST_F(WordVectorsTest, ATextThatChangesWhileItIsReadIsRefused) {
  const auto change = [&](std::uint64_t done, std::uint64_t all) {
    if (done == all) write_bytes(text_, "cat 1 2\ndog 3 4\ncat 5 7\n");
  };
  const std::string message =
      refusal_of([&] { WordVectors::open(text_, {.index_folder = cache_, .hash_folder = {}, .on_progress = change}); });
  EXPECT_TRUE(says(message, "the file changed while it was read"));
  EXPECT_TRUE(indexes().empty());
}

}  // namespace
}  // namespace gausscse
