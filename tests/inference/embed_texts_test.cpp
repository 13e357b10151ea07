#include "inference/embed_texts.hpp"

#include <ATen/ops/allclose.h>

#include "inference/embed_file.hpp"
#include "tests/launcher/tiny_model.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

class EmbedTexts : public testing::Test {
 protected:
  EmbedTexts() { save_tiny_model(project_, folder_ / "saved", {}); }

  TemporaryFolder folder_;
  TinyProject project_{folder_.path()};
  SentenceModel open() const { return open_sentence_model({.path = (folder_ / "saved").string()}, at::kCPU); }
};

bool have_the_same_bits(const at::Tensor& a, const at::Tensor& b) {
  return a.sizes() == b.sizes() && std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0;
}

TEST_F(EmbedTexts, EmbedsEachSentenceWithTheSameBitsForAnyThreads) {
  SentenceModel model = open();
  const std::vector<std::string> sentences{"w1 w2", "w3", "", "w4 w5 w6", "w1 w2 w3 w4 w5 w6", "w2"};
  const std::vector<Embedding> expected = embed_one_by_one(folder_ / "saved", sentences);
  const at::Tensor together = embed_texts(sentences, model, 1).rows;
  ASSERT_EQ(together.size(0), 6);
  for (std::int64_t i = 0; i < 6; ++i) {
    const auto& row = expected[static_cast<std::size_t>(i)];
    ASSERT_EQ(together.size(1), static_cast<std::int64_t>(row.size()));
    for (std::size_t d = 0; d < row.size(); ++d)
      ASSERT_NEAR(together[i].const_data_ptr<float>()[d], row[d], 1e-5) << "row " << i;
  }
  EXPECT_TRUE(have_the_same_bits(embed_texts(sentences, model, 3).rows, together));
}

TEST_F(EmbedTexts, OfNoSentenceHasNoRow) {
  SentenceModel model = open();
  EXPECT_EQ(embed_texts({}, model, 2).rows.sizes(), (std::vector<std::int64_t>{0, model.embedder->width()}));
}

TEST_F(EmbedTexts, RefusesTextThatIsNotUtf8WithItsNumber) {
  SentenceModel model = open();
  try {
    embed_texts({"w1", "\xff"}, model, 1);
    FAIL() << "the text was embedded";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), R"(sentence 1 (from 0): "\xff" is not UTF-8)");
  }
}

TEST_F(EmbedTexts, CallsTheWatchWithAllSentencesAtTheEndAndEndsWithWhatItThrows) {
  SentenceModel model = open();
  const std::vector<std::string> sentences(5, "w1 w2 w3");
  std::vector<std::size_t> done;
  const at::Tensor watched = embed_texts(sentences, model, 1, [&](std::size_t count) { done.push_back(count); }).rows;
  EXPECT_EQ(done, (std::vector<std::size_t>{0, 5}));
  EXPECT_TRUE(have_the_same_bits(watched, embed_texts(sentences, model, 1).rows));
  EXPECT_THROW(embed_texts(sentences, model, 1, [](std::size_t) { throw std::length_error("enough"); }),
               std::length_error);
  EXPECT_TRUE(have_the_same_bits(embed_texts(sentences, model, 1).rows, watched));
}

/// Sentences are tokenised for seconds where there are millions.
TEST_F(EmbedTexts, CallsTheWatchWhileSentencesAreTokenised) {
  SentenceModel model = open();
  const std::vector<std::string> sentences(200, "w1 w2 w3");
  for (const std::size_t threads : {1, 3}) {
    std::size_t calls = 0;
    const auto end_in_the_third = [&](std::size_t done) {
      EXPECT_EQ(done, 0u);
      if (++calls == 3) throw std::length_error("enough");
    };
    EXPECT_THROW(embed_texts(sentences, model, threads, end_in_the_third), std::length_error);
    EXPECT_EQ(calls, 3u);
  }
}

TEST_F(EmbedTexts, NotesSentencesThatAreCut) {
  SentenceModel model = open();
  model.max_tokens = 4;
  const EmbeddedTexts cut = embed_texts({"w1 w2 w3 w4 w5", "w1"}, model, 1);
  ASSERT_EQ(cut.notes.warnings.size(), 1u);
  EXPECT_EQ(cut.notes.warnings[0].rfind("sentences: 1 sentence has more than 4 tokens and is cut", 0), 0u)
      << cut.notes.warnings[0];
  EXPECT_TRUE(cut.rows[0].allclose(embed_texts({"w1 w2"}, model, 1).rows[0], 1e-5, 1e-5));
}

}  // namespace
}  // namespace gausscse
