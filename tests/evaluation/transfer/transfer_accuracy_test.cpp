#include "evaluation/transfer/transfer_accuracy.hpp"

#include "tests/evaluation/transfer/transfer_goldens.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

class TransferAccuracyOf : public testing::TestWithParam<const char*> {};

/// The accuracies of all tasks are those of SentEval's own program on the same files and vectors.
TEST_P(TransferAccuracyOf, AllTasksIsSentEvals) {
  const nlohmann::json golden = transfer_golden("figures.json");
  const auto width = golden.at("width").get<std::int64_t>();
  const ClassifierSettings settings = golden_settings(GetParam());
  const auto communicator = make_self_communicator();
  SharedFits fits(*communicator);
  for (const auto& [dataset, name] : names<TransferDataset>) {
    const auto& expected = golden.at("figures").at(GetParam()).at(std::string(name));
    const TransferAccuracy accuracy =
        transfer_accuracy(hashed_features(dataset, width), layout_of(dataset), settings, fits);
    EXPECT_NEAR(accuracy.accuracy, expected.at("acc").get<double>(), 0.0100001) << name;
    EXPECT_NEAR(accuracy.development, expected.at("devacc").get<double>(), 0.0100001) << name;
    EXPECT_EQ(expected.contains("f1"), dataset == TransferDataset::mrpc);
    if (expected.contains("f1")) {
      EXPECT_NEAR(accuracy.f1, expected.at("f1").get<double>(), 0.0100001);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, TransferAccuracyOf, testing::Values("full", "fast"),
                         [](const auto& parameter) { return std::string(parameter.param); });

/// The seed decides over weights and orders, and over the folds of tasks with a test set, not over those of others.
TEST(TransferAccuracy, OfAnotherSeedIsSentEvals) {
  const nlohmann::json golden = transfer_golden("other_seed.json");
  const ClassifierSettings settings =
      classifier_settings(setting::TransferMode::fast, golden.at("seed").get<std::uint32_t>());
  const auto communicator = make_self_communicator();
  SharedFits fits(*communicator);
  for (const auto& [name, expected] : golden.at("figures").items()) {
    const TransferDataset dataset = *find_choice<TransferDataset>(name);
    const TransferAccuracy accuracy =
        transfer_accuracy(hashed_features(dataset, 24), layout_of(dataset), settings, fits);
    EXPECT_NEAR(accuracy.accuracy, expected.at("acc").get<double>(), 0.0100001) << name;
    EXPECT_NEAR(accuracy.development, expected.at("devacc").get<double>(), 0.0100001) << name;
  }
}

TEST(EnoughExamples, AreForEveryFoldAndToHoldSomeOut) {
  const ClassifierSettings fast = classifier_settings(setting::TransferMode::fast, 1111);
  const auto refusal = [&](std::size_t of_each, TransferDataset dataset) {
    std::vector<std::uint32_t> labels(of_each, 0);
    labels.insert(labels.end(), of_each, 1);
    return refusal_of([&] { check_enough_examples(labels, layout_of(dataset), fast, "folder: it"); });
  };
  EXPECT_TRUE(says(refusal(4, TransferDataset::mrpc), "folder: it: 4 examples are of the class \"0\""));
  EXPECT_TRUE(says(refusal(9, TransferDataset::mrpc), "folder: it: 18 examples to learn from are too few"));
  EXPECT_EQ(refusal(10, TransferDataset::mrpc), "accepted");
  // 24 less a fold of 5 are 19, of which none can be held out.
  EXPECT_TRUE(says(refusal(12, TransferDataset::cr), "19 examples to learn from are too few"));
  EXPECT_EQ(refusal(13, TransferDataset::cr), "accepted");
  EXPECT_EQ(refusal(1, TransferDataset::sst2), "accepted");
}

}  // namespace
}  // namespace gausscse
