#include "dist/communicator.hpp"
#include "evaluation/geometry/geometry_task.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/model/encoder/small_models.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Sentences of all ranks together give the values of one process: vectors bit by bit, sums but for their order.
TEST(TokenGeometryOverRanks, IsThatOfOneProcess) {
  SentenceEncoderSettings settings = small_settings(EncoderConfig::Architecture::bert, at::kFloat);
  settings.head.kind = HeadKind::none;
  settings.encoder.vocabulary_size = 300;
  SentenceEncoder encoder(settings);
  randomize(encoder.parameters(), 5);
  encoder.parameters_changed();
  std::vector<std::string> texts;
  // More tokens than a batch holds, so that every rank has some.
  for (int i = 0; i < 400; ++i) texts.push_back("the sentence " + std::to_string(i * 7919 % 401) + " of many");
  const ByteTokenizer tokenizer;
  const TokenStore store = TokenStore::from_sentences(texts, tokenizer, 64, 1);
  const GeometrySettings measured{.samples = 20, .draws = 1, .vectors = true};
  const auto ranks = make_mpi_communicator(), self = make_self_communicator();
  const Measurement alone =
      measurement_of("tokens", measure_token_geometry(encoder, store, 0, measured, *self), tokenizer.tokens());
  const Measurement together =
      measurement_of("tokens", measure_token_geometry(encoder, store, 0, measured, *ranks), tokenizer.tokens());
  ASSERT_EQ(together.metrics.size(), alone.metrics.size());
  for (std::size_t i = 0; i < alone.metrics.size(); ++i)
    EXPECT_NEAR(together.metrics[i].value, alone.metrics[i].value, 1e-9) << alone.metrics[i].name;
  const auto* vectors = find_column<VectorRows>(together, "sentence_vector");
  ASSERT_TRUE(vectors);
  EXPECT_EQ(vectors->values.size(), 400 * 24u);
  EXPECT_EQ(*vectors, *find_column<VectorRows>(alone, "sentence_vector"));
  EXPECT_EQ(*find_column<std::vector<double>>(together, "self_similarity"),
            *find_column<std::vector<double>>(alone, "self_similarity"));
  EXPECT_EQ(*find_column<std::vector<std::string>>(together, "token"),
            *find_column<std::vector<std::string>>(alone, "token"));
}

}  // namespace
}  // namespace gausscse
