#include "evaluation/transfer/classifier_settings.hpp"
#include "evaluation/transfer/numpy.hpp"
#include "tests/evaluation/transfer/transfer_goldens.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Integers = std::vector<std::int32_t>;
using Labels = std::vector<std::uint32_t>;

TEST(NumpyRandom, PermutesAsNumpyDoes) {
  const nlohmann::json golden = transfer_golden("parts.json").at("permutations");
  ASSERT_EQ(golden.size(), 3u);
  for (const auto& of_seed : golden) {
    NumpyRandom random(of_seed.at("seed").get<std::uint32_t>());
    for (const auto& expected : of_seed.at("permutations"))
      EXPECT_EQ(random.permutation(expected.size()), expected.get<Integers>()) << of_seed.at("seed");
  }
  EXPECT_TRUE(NumpyRandom(1).permutation(0).empty());
}

TEST(StratifiedFolds, AreScikitLearns) {
  const nlohmann::json golden = transfer_golden("parts.json").at("folds");
  ASSERT_EQ(golden.size(), 4u);
  for (const auto& each : golden)
    EXPECT_EQ(stratified_folds(each.at("labels").get<Labels>(), each.at("folds").get<std::int32_t>(),
                               each.at("seed").get<std::uint32_t>()),
              each.at("fold_of_example").get<Integers>());
}

TEST(StratifiedFolds, RowsOfAFoldRise) {
  const FoldRows rows = rows_of_fold(Integers{1, 0, 2, 1, 1, 0}, 1);
  EXPECT_EQ(rows.fold, (Integers{0, 3, 4}));
  EXPECT_EQ(rows.others, (Integers{1, 2, 5}));
}

TEST(StratifiedFolds, EachFoldMustHaveAllClasses) {
  const auto refusal = [](std::size_t ones, bool nested) {
    Labels labels(50, 0);
    labels.insert(labels.end(), ones, 1);
    return refusal_of([&] { check_folds(labels, {"bad", "good"}, 5, nested, "MR"); });
  };
  EXPECT_EQ(refusal(5, false), "accepted");
  EXPECT_TRUE(says(refusal(4, false), "MR: 4 examples are of the class \"good\", too few for each of 5 folds"));
  // Of 6 a fold has 2 at most, which leaves 4 for five inner folds; of 7 it leaves 5.
  EXPECT_TRUE(says(refusal(6, true), "6 examples are of the class \"good\""));
  EXPECT_EQ(refusal(7, true), "accepted");
  EXPECT_TRUE(says(refusal(0, false), "0 examples"));
}

TEST(RoundedAccuracy, AsPythonAndNumpyRound) {
  const nlohmann::json golden = transfer_golden("parts.json");
  bool differ = false;
  for (const auto& each : golden.at("rounded")) {
    const auto x = each.at(0).get<double>();
    EXPECT_EQ(round_as_python(x), each.at(1).get<double>()) << x;
    EXPECT_EQ(round_as_numpy(x), each.at(2).get<double>()) << x;
    differ = differ || each.at(1) != each.at(2);
  }
  EXPECT_TRUE(differ);
  for (const auto& each : golden.at("means"))
    EXPECT_EQ(mean_as_numpy(each.at("values").get<std::vector<double>>()), each.at("mean").get<double>());
}

TEST(DecayChoice, TheFirstOfTheBestRoundedMeans) {
  EXPECT_EQ(best_decay({1, 3, 3, 2}).decay, 1u);
  EXPECT_EQ(best_decay({1, 3, 3, 2}).score, 3);
  // Means 0.5, 0.80001, 0.80002, 0.7: the two in the middle are equal when they are rounded.
  const std::vector<std::vector<double>> folds{{0.5, 0.9, 0.7, 0.7}, {0.5, 0.70002, 0.90004, 0.7}};
  EXPECT_EQ(best_decay_of_folds(folds).decay, 1u);
  EXPECT_EQ(best_decay_of_folds(folds).score, 80);
  EXPECT_EQ(decays, (std::array<double, 4>{1e-5, 1e-4, 1e-3, 1e-2}));
}

TEST(ClassifierSettings, AreThoseOfTheModes) {
  const ClassifierSettings full = classifier_settings(setting::TransferMode::full, 5);
  EXPECT_TRUE(full.adam);
  EXPECT_EQ((Integers{full.folds, static_cast<int>(full.batch), static_cast<int>(full.tenacity),
                      static_cast<int>(full.epoch_size), static_cast<int>(full.max_epoch)}),
            (Integers{10, 64, 5, 4, 200}));
  EXPECT_EQ(full.seed, 5u);
  const ClassifierSettings fast = classifier_settings(setting::TransferMode::fast, 6);
  EXPECT_FALSE(fast.adam);
  EXPECT_EQ((Integers{fast.folds, static_cast<int>(fast.batch), static_cast<int>(fast.tenacity),
                      static_cast<int>(fast.epoch_size), static_cast<int>(fast.max_epoch)}),
            (Integers{5, 128, 3, 2, 200}));
}

TEST(FeatureRows, AreVectorsOrWhatTwoHaveInCommon) {
  at::Tensor vectors = at::empty({3, 4}, at::kFloat);
  std::iota(vectors.mutable_data_ptr<float>(), vectors.mutable_data_ptr<float>() + 12, -2.0f);
  FeatureRows plain = sentence_features(vectors, 3, Labels{2, 0});
  EXPECT_EQ(plain.rows(), 2);
  EXPECT_EQ(plain.stride(), 16);
  EXPECT_EQ(std::vector<float>(plain.row(0), plain.row(0) + 5), (std::vector<float>{6, 7, 8, 1, 0}));
  EXPECT_EQ(std::vector<float>(plain.row(1), plain.row(1) + 5), (std::vector<float>{-2, -1, 0, 1, 0}));
  FeatureRows pairs = pair_features(vectors, 3, Labels{0}, Labels{1});
  EXPECT_EQ(std::vector<float>(pairs.row(0), pairs.row(0) + 8), (std::vector<float>{4, 4, 4, -4, -3, 0, 1, 0}));
  EXPECT_EQ(row_stride(15), 16);
  EXPECT_EQ(row_stride(16), 32);
}

TEST(FeatureRows, MustBeFinite) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    at::Tensor vectors = at::empty({2, 3}, at::kFloat);
    std::fill_n(vectors.mutable_data_ptr<float>(), 6, 1.0f);
    vectors.mutable_data_ptr<float>()[5] = bad;
    EXPECT_EQ(refusal_of([&] { sentence_features(vectors, 3, Labels{0}); }), "accepted");
    EXPECT_EQ(refusal_of([&] { sentence_features(vectors, 2, Labels{1}); }), "accepted");
    EXPECT_TRUE(says(refusal_of([&] { sentence_features(vectors, 3, Labels{0, 1}); }), "not finite"));
    EXPECT_TRUE(says(refusal_of([&] { pair_features(vectors, 3, Labels{0}, Labels{1}); }), "not finite"));
  }
}

}  // namespace
}  // namespace gausscse
