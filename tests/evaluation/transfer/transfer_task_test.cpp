#include "evaluation/transfer/transfer_task.hpp"

#include "evaluation/task_list.hpp"
#include "inference/embed_sentences.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/evaluation/task/model_to_read_for.hpp"
#include "tests/evaluation/transfer/transfer_goldens.hpp"
#include "tests/model/encoder/small_models.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

const ByteTokenizer tokenizer;

TransferTaskSettings fast_settings(const fs::path& folder, std::vector<TransferDataset> tasks) {
  return {.folder = folder, .tasks = std::move(tasks), .mode = setting::TransferMode::fast};
}

class TransferTaskOfASmallModel : public testing::Test {
 protected:
  TransferTaskOfASmallModel() : encoder_(settings()) { randomize(encoder_.parameters(), 3); }

  static SentenceEncoderSettings settings() {
    auto settings = small_settings(EncoderConfig::Architecture::bert, at::kFloat);
    settings.encoder.vocabulary_size = 300;
    settings.encoder.max_positions = 100;
    return settings;
  }
  static SentenceModel model(Similarity similarity) {
    return model_to_read_for(tokenizer, 100, 70, {.similarity = similarity});
  }
  std::map<std::string, double> metrics(const TransferTaskSettings& task, Similarity similarity) {
    std::map<std::string, double> metrics;
    measured_ = TransferTask("transfer", task, model(similarity), {}).measure(encoder_, *communicator_, {});
    for (const Metric& metric : measured_.metrics) metrics[metric.name] = metric.value;
    return metrics;
  }
  /// Returns the accuracies of a task by the first `width` columns of the encoder's vectors.
  TransferAccuracy expected(TransferDataset dataset, std::int64_t width,
                            setting::TransferMode mode = setting::TransferMode::fast, std::uint32_t seed = 1111) {
    ReadReport report;
    const TransferExamples examples =
        read_transfer_dataset(dataset, golden("transfer/downstream"), BadLines::error, report);
    const auto set = [&](const std::vector<TransferExample>& of_set) {
      std::vector<std::string> sentences;
      std::vector<std::uint32_t> first, second, labels;
      for (const TransferExample& example : of_set) {
        first.push_back(static_cast<std::uint32_t>(sentences.size()));
        sentences.push_back(example.first);
        second.push_back(static_cast<std::uint32_t>(sentences.size()));
        sentences.push_back(example.second);
        labels.push_back(example.label);
      }
      if (sentences.empty()) return TransferSet{};
      const at::Tensor vectors =
          embed_sentences(encoder_, TokenStore::from_sentences(sentences, tokenizer, 100, 1), *communicator_);
      return TransferSet{layout_of(dataset).pairs ? pair_features(vectors, width, first, second)
                                                  : sentence_features(vectors, width, first),
                         labels};
    };
    SharedFits fits(*communicator_);
    return transfer_accuracy({set(examples.train), set(examples.development), set(examples.test)}, layout_of(dataset),
                             classifier_settings(mode, seed), fits);
  }

  std::unique_ptr<Communicator> communicator_ = make_self_communicator();
  SentenceEncoder encoder_;
  Measurement measured_;
};

/// Vectors of a batch have other bits than those of another, so that an answer may differ here and there.
constexpr double one_answer = 0.011;

TEST_F(TransferTaskOfASmallModel, MeasuresItsVectorsAndTheirMean) {
  const fs::path folder = golden("transfer/downstream");
  const auto measured =
      metrics(fast_settings(folder, {TransferDataset::mrpc, TransferDataset::sst2}), Similarity::cosine);
  const TransferAccuracy mrpc = expected(TransferDataset::mrpc, encoder_.width()),
                         sst2 = expected(TransferDataset::sst2, encoder_.width());
  EXPECT_EQ(measured_.kind, "transfer");
  EXPECT_EQ(measured_.remark, "");
  ASSERT_EQ(measured.size(), 6u);
  EXPECT_NEAR(measured.at("accuracy.MRPC"), mrpc.accuracy / 100, one_answer);
  EXPECT_NEAR(measured.at("dev_accuracy.MRPC"), mrpc.development / 100, one_answer);
  EXPECT_NEAR(measured.at("f1.MRPC"), mrpc.f1 / 100, one_answer);
  EXPECT_NEAR(measured.at("accuracy.SST2"), sst2.accuracy / 100, one_answer);
  EXPECT_NEAR(measured.at("dev_accuracy.SST2"), sst2.development / 100, one_answer);
  EXPECT_DOUBLE_EQ(measured.at("accuracy"), (measured.at("accuracy.MRPC") + measured.at("accuracy.SST2")) / 2);
  EXPECT_NE(mrpc.accuracy, mrpc.development);
}

TEST_F(TransferTaskOfASmallModel, FitsAsItsModeAndSeedSay) {
  const auto measured = [&](setting::TransferMode mode, std::int64_t seed) {
    const TransferTaskSettings task{
        .folder = golden("transfer/downstream"), .tasks = {TransferDataset::sst5}, .mode = mode, .seed = seed};
    return metrics(task, Similarity::cosine).at("accuracy.SST5");
  };
  const auto accuracy = [&](setting::TransferMode mode, std::uint32_t seed) {
    return expected(TransferDataset::sst5, encoder_.width(), mode, seed).accuracy / 100;
  };
  const double fast = accuracy(setting::TransferMode::fast, 1111), full = accuracy(setting::TransferMode::full, 1111),
               of_seed = accuracy(setting::TransferMode::fast, 5);
  EXPECT_GT(std::abs(full - fast), 2 * one_answer);
  EXPECT_GT(std::abs(of_seed - fast), 2 * one_answer);
  EXPECT_NEAR(measured(setting::TransferMode::full, 1111), full, one_answer);
  EXPECT_NEAR(measured(setting::TransferMode::fast, 5), of_seed, one_answer);
}

TEST_F(TransferTaskOfASmallModel, OfGaussiansTakesTheMeans) {
  const auto measured =
      metrics(fast_settings(golden("transfer/downstream"), {TransferDataset::sst5}), Similarity::joint);
  const TransferAccuracy means = expected(TransferDataset::sst5, encoder_.width() / 2),
                         both = expected(TransferDataset::sst5, encoder_.width());
  EXPECT_NEAR(measured.at("dev_accuracy.SST5"), means.development / 100, one_answer);
  EXPECT_NE(means.development, both.development);
}

TEST_F(TransferTaskOfASmallModel, AMissingTaskIsLeftOutAndNamed) {
  const TemporaryFolder folder;
  fs::copy(golden("transfer/downstream/MRPC"), folder / "MRPC");
  fs::copy(golden("transfer/downstream/CR"), folder / "CR");
  fs::remove(folder / "CR/custrev.neg");
  const TransferTaskSettings task =
      fast_settings(folder.path(), {TransferDataset::cr, TransferDataset::mrpc, TransferDataset::mr});
  const auto measured = metrics(task, Similarity::cosine);
  EXPECT_TRUE(std::isnan(measured.at("accuracy")));
  EXPECT_GT(measured.at("accuracy.MRPC"), 0.3);
  EXPECT_EQ(measured.count("accuracy.CR"), 0u);
  EXPECT_EQ(measured_.remark, "partial, without CR, MR");
  const std::vector<TaskSettings> listed{{"transfer", 0, task}};
  const TaskList tasks = make_tasks(listed, model(Similarity::cosine), {});
  ASSERT_EQ(tasks.front().warnings.size(), 2u);
  EXPECT_TRUE(says(tasks.front().warnings[0], "transfer: the task CR is left out, as "));
  EXPECT_TRUE(says(tasks.front().warnings[0], "custrev.neg is missing"));
  EXPECT_TRUE(says(tasks.front().warnings[1], "the task MR is left out"));
  EXPECT_TRUE(says(tasks.front().notes[0], " sentences of 1 tasks"));
  EXPECT_TRUE(says(refusal_of([&] {
                     TransferTask("transfer", fast_settings(folder / "nowhere", {TransferDataset::mr}),
                                  model(Similarity::cosine), {});
                   }),
                   "nowhere/MR/rt-polarity.pos is missing"));
}

TEST_F(TransferTaskOfASmallModel, RefusesVectorsThatAreNotFinite) {
  encoder_.parameters().values().fill_(std::numeric_limits<float>::quiet_NaN());
  encoder_.parameters_changed();
  EXPECT_TRUE(says(refusal_of([&] {
                     metrics(fast_settings(golden("transfer/downstream"), {TransferDataset::trec}), Similarity::cosine);
                   }),
                   "not finite"));
}

TEST_F(TransferTaskOfASmallModel, RefusesTooFewExamplesBeforeAnythingIsEmbedded) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "CR");
  write_bytes(folder / "CR/custrev.pos", "a\nb\nc\nd\n");
  write_bytes(folder / "CR/custrev.neg", "a\nb\nc\nd\ne\nf\ng\nh\n");
  EXPECT_TRUE(says(refusal_of([&] {
                     TransferTask("transfer", fast_settings(folder.path(), {TransferDataset::cr}),
                                  model(Similarity::cosine), {});
                   }),
                   "CR: 4 examples are of the class \"positive\", too few for each of 5 folds"));
}

/// Gaussian models are cut as in their training, others to the limit of the encoder.
TEST_F(TransferTaskOfASmallModel, CutsForGaussianModelsAlone) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "CR");
  const std::string longer(80, 'x');
  std::string lines;
  for (int i = 0; i < 20; ++i) lines += concat(i, longer, "\n");
  write_bytes(folder / "CR/custrev.pos", lines);
  write_bytes(folder / "CR/custrev.neg", "n" + lines);
  const auto cut = [&](Similarity similarity) {
    return TransferTask("transfer", fast_settings(folder.path(), {TransferDataset::cr}), model(similarity), {})
        .token_counts()
        .cut;
  };
  EXPECT_EQ(cut(Similarity::cosine), 0u);
  EXPECT_EQ(cut(Similarity::per_dimension), 21u);
}

}  // namespace
}  // namespace gausscse
