#include "data/retrieval/entailment_queries.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "evaluation/retrieval/retrieval_task.hpp"
#include "model/folder/model_folder.hpp"
#include "tests/evaluation/task/model_to_read_for.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Values = std::vector<double>;

SentenceModel model_of(const Tokenizer& tokenizer, std::size_t positions) {
  return model_to_read_for(tokenizer, positions, 8, {.similarity = Similarity::cosine});
}

double share_above_zero(const Values& values) {
  return 100 * static_cast<double>(std::count_if(values.begin(), values.end(), [](double each) { return each > 0; })) /
         static_cast<double>(values.size());
}

/// all-MiniLM-L6-v2, mean pooling, cosine, in percent. An independent program counted the queries with a right sentence
/// among the first ones.
TEST(RetrievalOfMiniLm, IsThatOfAnotherProgram) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  const std::filesystem::path folder = golden("../../models/minilm");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no MiniLM in " << folder << ": run scripts/fetch_minilm.sh";
  SentenceEncoderSettings settings;
  settings.encoder = read_encoder_config(folder);
  settings.pooling = PoolingKind::mean;
  settings.head.kind = HeadKind::none;
  SentenceEncoder encoder(settings);
  load_encoder_weights(folder, encoder);
  const auto tokenizer = open_tokenizer(folder);
  const auto communicator = make_self_communicator();
  const RetrievalTask sick("sick", {.path = real_data() / "SICK/SICK.txt"},
                           model_of(*tokenizer, settings.encoder.max_tokens()), {.threads = 2});
  const Measurement measured = sick.measure(encoder, *communicator, {});
  EXPECT_EQ(metric_of(measured, "queries"), 685);
  EXPECT_EQ(metric_of(measured, "documents"), 6076);
  EXPECT_NEAR(share_above_zero(*find_column<Values>(measured, "recall_at_1")), 42.8, 0.2);
  EXPECT_NEAR(share_above_zero(*find_column<Values>(measured, "recall_at_10")), 89.9, 0.2);
}

TEST(RetrievalOfSnli, HasDistinctQueriesAmongAllPremises) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  ReadReport report;
  const RetrievalSet snli = read_entailed_hypotheses(real_data() / "snli_1.0-subset/snli_1.0_test.jsonl", {}, report);
  EXPECT_EQ(report.pairs_with(NliLabel::entailment), 3368u);
  EXPECT_EQ(snli.queries.size(), 3285u);
  EXPECT_EQ(snli.documents.size(), 3323u);
}

}  // namespace
}  // namespace gausscse
