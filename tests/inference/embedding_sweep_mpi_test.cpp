#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>

#include "base/philox.hpp"
#include "inference/embed_sentences.hpp"
#include "model/sentence_encoder.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/model/encoder/small_models.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Each letter of them is a token; some are empty.
std::vector<std::string> sentences_of_letters(std::size_t count, std::uint32_t most_letters) {
  std::vector<std::string> sentences(count);
  PhiloxStream stream(8, 0);
  for (std::string& sentence : sentences)
    for (std::uint32_t letters = stream.below(most_letters + 1); letters > 0; --letters)
      sentence += static_cast<char>('a' + static_cast<char>(stream.below(26)));
  return sentences;
}

/// Libraries cut products of real widths by the number of threads that they may use.
class EmbeddingSweep : public testing::TestWithParam<Precision> {};

TEST_P(EmbeddingSweep, SentencesHaveTheSameBitsForAnyRanksAndThreads) {
  const auto ranks = make_mpi_communicator();
  auto settings = settings_of_minilms_widths(GetParam());
  settings.encoder.vocabulary_size = 300;
  SentenceEncoder encoder(settings);
  randomize(encoder.parameters(), 1);
  encoder.parameters().values().mul_(0.1);
  encoder.parameters_changed();
  const ByteTokenizer tokenizer;
  const int before = at::get_num_threads();
  const auto embed = [&](const TokenStore& store, Communicator& communicator, int threads) {
    at::set_num_threads(threads);
    at::Tensor rows = embed_sentences(encoder, store, communicator);
    at::set_num_threads(before);
    return rows;
  };
  // The number of threads could change bits by the rows of a product: products of few rows are the likely ones.
  for (const std::size_t count : {1, 2, 3, 4, 5, 6, 8, 10, 13, 24, 50, 300}) {
    const std::vector<std::string> sentences = sentences_of_letters(count, 30);
    const TokenStore store = TokenStore::from_sentences(sentences, tokenizer, 64, 1);
    const at::Tensor expected = embed(store, *make_self_communicator(), 1);
    ASSERT_EQ(expected.size(0), static_cast<std::int64_t>(count));
    if (count > 1) {
      EXPECT_FALSE(expected[0].equal(expected[1]));
    }
    for (const int threads : {1, 2, 3, 4})
      EXPECT_TRUE(embed(store, *ranks, threads).equal(expected)) << count << " sentences, " << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, EmbeddingSweep,
                         testing::Values(Precision::full, Precision::bfloat16, Precision::int8));

}  // namespace
}  // namespace gausscse
