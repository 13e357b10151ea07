#include "data/tokenizer/tokenizer.hpp"
#include "evaluation/sts/sts_task.hpp"
#include "model/folder/model_folder.hpp"
#include "tests/evaluation/task/model_to_read_for.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// In percent, to two decimals: all-MiniLM-L6-v2, mean pooling, cosine; those of `spearman` are MTEB's published ones,
/// too.
const std::map<std::string, std::map<std::string, double>> expected{
    {"stsbenchmark/sts-test.csv", {{"spearman", 82.03}}},
    {"sts13",
     {{"spearman", 80.60},
      {"spearman_mean", 74.46},
      {"spearman_wmean", 78.97},
      {"spearman.FNWN", 60.35},
      {"spearman.headlines", 82.49},
      {"spearman.OnWN", 80.54},
      {"missing_subsets", 0}}},
    {"sts16",
     {{"spearman", 78.99},
      {"spearman_mean", 81.32},
      {"spearman_wmean", 81.21},
      {"spearman.answer-answer", 72.44},
      {"spearman.headlines", 81.25},
      {"spearman.plagiarism", 83.60},
      {"spearman.postediting", 87.91},
      {"spearman.question-question", 81.38}}}};

TEST(StsOfMiniLm, IsThePublishedOne) {
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
  for (const auto& [set, of_set] : expected) {
    const StsTask task(
        set, {.files = {real_data() / "sts" / set}},
        model_to_read_for(*tokenizer, settings.encoder.max_tokens(), 8, {.similarity = Similarity::cosine}), {});
    std::map<std::string, double> metrics;
    for (const Metric& metric : task.measure(encoder, *communicator, {}).metrics)
      metrics[metric.name] = metric.value * (metric.name.starts_with("spearman") ? 100 : 1);
    for (const auto& [name, value] : of_set) EXPECT_NEAR(metrics.at(name), value, 0.006) << set << " " << name;
    EXPECT_EQ(metrics.count("symmetric_spearman"), 0u);
  }
}

}  // namespace
}  // namespace gausscse
