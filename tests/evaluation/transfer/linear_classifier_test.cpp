#include "evaluation/transfer/linear_classifier.hpp"

#include "base/process.hpp"
#include "evaluation/transfer/classifier_settings.hpp"
#include "evaluation/transfer/numpy.hpp"
#include "tests/evaluation/transfer/transfer_goldens.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

constexpr std::int64_t width = 24;

const float* values_of(const ClassifierWeights& weights) {
  return weights.front().values;
}

TEST(InitialWeights, AreTorchs) {
  const nlohmann::json golden = transfer_golden("parts.json").at("initial_weights");
  ASSERT_EQ(golden.size(), 2u);
  for (const auto& each : golden) {
    const auto features = each.at("features").get<std::int64_t>();
    const auto classes = static_cast<std::int64_t>(each.at("biases").size());
    const ClassifierWeights weights = initial_weights(each.at("seed").get<std::uint32_t>(), features, classes);
    for (std::int64_t c = 0; c < classes; ++c) {
      const float* row = values_of(weights) + c * row_stride(features);
      for (std::int64_t k = 0; k < features; ++k) EXPECT_FLOAT_EQ(row[k], each.at("weights").at(c).at(k).get<float>());
      EXPECT_FLOAT_EQ(row[features], each.at("biases").at(c).get<float>());
      EXPECT_TRUE(std::all_of(row + features + 1, row + row_stride(features), [](float x) { return x == 0; }));
    }
  }
}

std::vector<std::int32_t> at_places(const std::vector<std::int32_t>& values, const std::vector<std::int32_t>& places) {
  std::vector<std::int32_t> chosen;
  for (const std::int32_t place : places) chosen.push_back(values[static_cast<std::size_t>(place)]);
  return chosen;
}

/// The examples that SentEval fitted one of its classifiers to, in the folds that the golden names.
struct GoldenFit {
  std::vector<std::int32_t> train, development;
  NumpyRandom random{1111};

  GoldenFit(const nlohmann::json& golden, const std::vector<std::uint32_t>& labels, std::int32_t folds) {
    for (std::size_t i = 0; i < labels.size(); ++i) train.push_back(static_cast<std::int32_t>(i));
    for (const char* level : {"fold", "outer", "inner"}) {
      if (!golden.contains(level)) continue;
      std::vector<std::uint32_t> of_train;
      for (const std::int32_t row : train) of_train.push_back(labels[static_cast<std::size_t>(row)]);
      const FoldRows rows = rows_of_fold(stratified_folds(of_train, folds, 1111), golden.at(level).get<std::int32_t>());
      development = at_places(train, rows.fold);
      train = at_places(train, rows.others);
    }
    if (golden.contains("fold") || golden.contains("inner")) return;
    const std::vector<std::int32_t> order = random.permutation(train.size());
    const auto held_out = static_cast<std::ptrdiff_t>(train.size() / 20);
    development = at_places(train, {order.begin(), order.begin() + held_out});
    train = at_places(train, {order.begin() + held_out, order.end()});
  }
};

/// Accuracies on the development set after each look at it, the end of the fit, and its result.
TEST(LinearClassifier, GoesAsSentEvals) {
  const nlohmann::json golden = transfer_golden("fits.json");
  ASSERT_GE(golden.size(), 16u);
  std::size_t improvements_late = 0;
  for (const auto& each : golden) {
    const TransferDataset dataset = *find_choice<TransferDataset>(each.at("task").get<std::string>());
    const ClassifierSettings settings = golden_settings(each.at("mode").get<std::string>());
    const TransferFeatures features = hashed_features(dataset, width);
    const LabelledRows rows = rows_of(features.train, dataset), dev_rows = rows_of(features.development, dataset);
    const bool has_dev = !features.development.labels.empty();
    GoldenFit fit(each, features.train.labels, settings.folds);
    if (has_dev) {
      fit = GoldenFit(nlohmann::json{{"fold", -1}}, features.train.labels, settings.folds);
      fit.development.resize(features.development.labels.size());
      std::iota(fit.development.begin(), fit.development.end(), 0);
    }
    const std::vector<double> decay{each.at("decay").get<double>()};
    const FittedClassifier fitted =
        fit_side_by_side({rows, fit.train}, {has_dev ? dev_rows : rows, fit.development}, decay, settings, fit.random)
            .front();
    EXPECT_EQ(fitted.correct, each.at("correct").get<std::vector<std::int64_t>>())
        << each.at("task") << each.at("mode");
    EXPECT_EQ(static_cast<std::int64_t>(fitted.correct.size()) * settings.epoch_size,
              each.at("passes").get<std::int64_t>());
    EXPECT_EQ(fitted.most_correct(), *std::max_element(fitted.correct.begin(), fitted.correct.end()));
    improvements_late += fitted.correct.size() > static_cast<std::size_t>(settings.tenacity) + 2;
    const auto& weights = each.at("weights");
    for (std::size_t c = 0; c < weights.size(); ++c)
      for (std::size_t k = 0; k < weights[c].size(); ++k)
        EXPECT_NEAR(values_of(fitted.weights)[c * static_cast<std::size_t>(features.train.x.stride()) + k],
                    weights[c][k].get<double>(), 2e-4)
            << each.at("task") << each.at("mode") << " class " << c << " feature " << k;
  }
  EXPECT_GT(improvements_late, 0u) << "a fit that goes on after it got no better";
}

/// With and without others next to it, some of which end before it.
TEST(LinearClassifier, HasTheSameBitsBesideOthers) {
  for (const TransferDataset dataset : {TransferDataset::mr, TransferDataset::trec}) {
    const TransferFeatures features = hashed_features(dataset, width);
    const LabelledRows rows = rows_of(features.train, dataset);
    const GoldenFit fit(nlohmann::json{{"fold", 1}}, features.train.labels, 5);
    const ClassifierSettings settings = golden_settings("full");
    const auto together =
        fit_side_by_side({rows, fit.train}, {rows, fit.development}, decays, settings, NumpyRandom(1111));
    ASSERT_EQ(together.size(), decays.size());
    for (std::size_t i = 0; i < decays.size(); ++i) {
      const std::uint64_t work_before = work_count();
      const FittedClassifier alone = fit_side_by_side({rows, fit.train}, {rows, fit.development},
                                                      std::span(decays).subspan(i, 1), settings, NumpyRandom(1111))
                                         .front();
      // Its passes, each of which is a sign of life.
      EXPECT_GE(work_count() - work_before, alone.correct.size() * static_cast<std::size_t>(settings.epoch_size));
      EXPECT_EQ(alone.correct, together[i].correct) << decays[i];
      ASSERT_EQ(alone.weights.size(), together[i].weights.size());
      EXPECT_TRUE(std::equal(values_of(alone.weights), values_of(alone.weights) + 16 * alone.weights.size(),
                             values_of(together[i].weights)))
          << decays[i];
    }
  }
}

TEST(LinearClassifier, EndsWithinTheMostPasses) {
  const TransferFeatures features = hashed_features(TransferDataset::mr, width);
  const LabelledRows rows = rows_of(features.train, TransferDataset::mr);
  const GoldenFit fit(nlohmann::json{{"fold", 0}}, features.train.labels, 5);
  ClassifierSettings settings = golden_settings("full");
  settings.tenacity = 1000;
  const auto looks = [&](std::int64_t max_epoch, std::int64_t epoch_size) {
    settings.max_epoch = max_epoch;
    settings.epoch_size = epoch_size;
    return fit_side_by_side({rows, fit.train}, {rows, fit.development}, std::span(decays).first(1), settings,
                            NumpyRandom(1))
        .front()
        .correct.size();
  };
  EXPECT_EQ(looks(8, 4), 3u);  // 4, 8 and, as 8 are not over 8, 12 passes
  EXPECT_EQ(looks(9, 4), 3u);
  EXPECT_EQ(looks(7, 4), 2u);
  EXPECT_EQ(looks(3, 1), 4u);
}

TEST(Predictions, TakeTheLargestLogitAndTheFirstOfEqualOnes) {
  FeatureRows x(3, 2);
  const std::vector<std::vector<float>> features{{1, 0}, {0, 1}, {0, 0}};
  for (std::int64_t i = 0; i < 3; ++i)
    std::copy(features[static_cast<std::size_t>(i)].begin(), features[static_cast<std::size_t>(i)].end(), x.row(i));
  const std::vector<std::uint32_t> labels{0, 0, 0};
  const auto predicted = [&](const std::vector<std::vector<float>>& classes) {
    ClassifierWeights weights(classes.size());
    for (std::size_t c = 0; c < classes.size(); ++c) std::copy(classes[c].begin(), classes[c].end(), weights[c].values);
    const LabelledRows rows{x, labels, static_cast<std::int64_t>(classes.size())};
    return predictions({rows, {0, 1, 2}}, weights);
  };
  using Labels = std::vector<std::uint32_t>;
  EXPECT_EQ(predicted({{1, 0, 0}, {0, 1, 0}}), (Labels{0, 1, 0}));
  EXPECT_EQ(predicted({{0, 0, 0}, {0, 0, 0.5f}}), (Labels{1, 1, 1}));
  EXPECT_EQ(predicted({{0, 0, 0}, {2, 0, 0}, {2, 3, 0}}), (Labels{1, 2, 0}));
}

}  // namespace
}  // namespace gausscse
