#include "experiments/training/trainer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "model/objective/gaussian_contrastive.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/experiments/training/recording_observer.hpp"
#include "tests/model/encoder/small_models.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using testing_support::ByteTokenizer;
using testing_support::NoRequests;
using testing_support::RecordingObserver;
using testing_support::refusal_of;
using testing_support::TemporaryFolder;

constexpr std::int64_t steps = 6;

/// A set whose figures were written down before.
class ScriptedTask : public EvaluationTask {
 public:
  explicit ScriptedTask(std::vector<NliMetrics> figures)
      : figures_(std::move(figures)),
        store_(TokenStore::from_sentences(std::vector<std::string>{"a sentence"}, ByteTokenizer(), 16, 1)) {}

  const std::string& name() const override { return name_; }
  const TokenStore& sentences() const override { return store_; }
  TestResult evaluate(const at::Tensor&, double threshold) const override {
    thresholds.push_back(threshold);
    if (figures_.empty()) throw InputError("these figures cannot be computed");
    return {.name = name_, .metrics = figures_.at(std::min(thresholds.size(), figures_.size()) - 1), .scores = {}};
  }

  mutable std::vector<double> thresholds;  ///< that it was asked for

 private:
  std::string name_ = "scripted";
  std::vector<NliMetrics> figures_;
  TokenStore store_;
};

/// Dev figures with these AUPRCs; the k-th threshold is 0.1 * k.
std::vector<NliMetrics> with_auprc(const std::vector<double>& auprc) {
  std::vector<NliMetrics> figures;
  for (std::size_t k = 0; k < auprc.size(); ++k)
    figures.push_back({.pairs = 7,
                       .accuracy = 0.5,
                       .threshold = 0.1 * static_cast<double>(k),
                       .auprc = auprc[k],
                       .directed_pairs = 3,
                       .direction_sim = 0.25,
                       .direction_var = 0.75,
                       .direction_length = 0.125});
  return figures;
}

/// Keeps the weights at every evaluation on dev as well.
class Recorder : public RecordingObserver {
 public:
  explicit Recorder(const SentenceEncoder& encoder) : encoder_(encoder) {}
  void on_dev(std::int64_t, const NliMetrics&, bool best) override {
    weights.push_back(encoder_.parameters().values().clone());
    is_best.push_back(best);
  }

  std::vector<at::Tensor> weights;
  std::vector<bool> is_best;

 private:
  const SentenceEncoder& encoder_;
};

SentenceEncoderSettings encoder_settings() {
  auto settings = testing_support::small_settings(EncoderConfig::Architecture::bert, at::kFloat);
  settings.encoder.vocabulary_size = 300;
  return settings;
}

/// One training of six steps of a tiny encoder, on all ranks.
class Training {
 public:
  Training(Communicator& communicator, std::vector<NliMetrics> dev, const Trial::Training& settings,
           std::vector<NliMetrics> own_dev = {})
      : encoder_(encoder_settings()), recorder_(encoder_), dev_(std::move(dev)) {
    testing_support::randomize(encoder_.parameters(), 1);
    std::string text = "sent0,sent1,hard_neg\n";
    for (int i = 0; i < 24; ++i) text += concat("premise ", i, ",entailed ", i, ",contradicted ", i, "\n");
    const TemporaryFolder folder;
    testing_support::write_bytes(folder / "triples.csv", text);
    TokenStoreOptions options;
    options.max_tokens = 16;
    const TokenStore train = TokenStore::open_or_build({folder / "triples.csv"}, ByteTokenizer(), options);
    auto test = std::make_unique<ScriptedTask>(with_auprc({0.5}));
    test_ = test.get();
    sets_.push_back({std::move(test), nullptr});
    if (!own_dev.empty()) sets_.back().own_dev = std::make_unique<ScriptedTask>(std::move(own_dev));
    const GaussianContrastive objective(Loss::ent, SimilarityKind::per_dimension, 0.05);
    NoRequests requests;
    Trainer trainer({.encoder = encoder_,
                     .objective = objective,
                     .train = train,
                     .dev = dev_,
                     .tests = sets_,
                     .communicator = communicator,
                     .observer = recorder_,
                     .requests = requests,
                     .checkpoints = nullptr},
                    settings, setting::LastBatch::drop, 0);
    trainer.run(result_);
  }

  const RunResult& result() const { return result_; }
  const Recorder& recorder() const { return recorder_; }
  const ScriptedTask& test() const { return *test_; }
  at::Tensor weights() const { return encoder_.parameters().values(); }

 private:
  SentenceEncoder encoder_;
  Recorder recorder_;
  ScriptedTask dev_;
  std::vector<TestSet> sets_;
  const ScriptedTask* test_ = nullptr;
  RunResult result_;
};

Trial::Training settings_with(setting::Keep keep, std::int64_t eval_every) {
  Trial::Training settings;
  settings.batch_size = 8;
  settings.learning_rate = 1e-2;
  settings.warmup_ratio = 0;
  settings.max_steps = steps;
  settings.eval_every = eval_every;
  settings.keep = keep;
  return settings;
}

struct Case {
  std::vector<double> auprc;  ///< of the evaluations after 0, 2, 4 and 6 steps, as rank 0 finds them
  std::size_t best;           ///< which of them
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {{{0.3, 0.5, 0.5, 0.4}, 1},  // the first of equal ones
                                        {{0.6, 0.5, 0.6, 0.4}, 0},
                                        {{0.1, 0.2, 0.3, 0.4}, 3},
                                        {{0.4, 0.1, 0.41, 0.4}, 2}};
  return all;
}

TEST(Trainer, KeepsTheStateThatRankZeroFindsBest) {
  const auto ranks = make_mpi_communicator();
  for (const Case& each : cases()) {
    for (const auto keep : {setting::Keep::best, setting::Keep::last}) {
      // The other ranks would find the opposite, as one on another processor might.
      std::vector<double> own = each.auprc;
      if (!ranks->is_root())
        for (double& auprc : own) auprc = 1 - auprc;
      const Training training(*ranks, with_auprc(own), settings_with(keep, 2));
      const RunResult& result = training.result();
      EXPECT_EQ(result.dev.step, (std::vector<std::int64_t>{0, 2, 4, 6}));
      EXPECT_EQ(result.dev.auprc, each.auprc) << "on every rank";
      ASSERT_EQ(result.states.size(), 2u);
      EXPECT_EQ(result.states[0].state, "best");
      EXPECT_EQ(result.states[0].step, 2 * static_cast<std::int64_t>(each.best));
      EXPECT_EQ(result.states[0].dev->auprc, each.auprc[each.best]);
      EXPECT_EQ(result.states[0].dev->threshold, 0.1 * static_cast<double>(each.best));
      EXPECT_EQ(result.states[0].dev->directed_pairs, 3);
      EXPECT_EQ(result.states[0].dev->direction_length, 0.125);
      EXPECT_EQ(result.states[1].state, "last");
      EXPECT_EQ(result.states[1].step, steps);
      EXPECT_EQ(result.states[1].dev->auprc, each.auprc.back());

      const std::vector<at::Tensor>& weights = training.recorder().weights;
      ASSERT_EQ(weights.size(), 4u);
      EXPECT_FALSE(weights[1].equal(weights[2]));
      EXPECT_TRUE(training.weights().equal(weights[keep == setting::Keep::best ? each.best : 3]));
      const at::Tensor of_root = training.weights().clone();
      ranks->broadcast(of_root, 0);
      EXPECT_TRUE(training.weights().equal(of_root));

      // The last state first, then the best where it is another.
      std::vector<double> thresholds;
      if (ranks->is_root()) thresholds.push_back(0.1 * 3);
      if (ranks->is_root() && each.best != 3) thresholds.push_back(0.1 * static_cast<double>(each.best));
      EXPECT_EQ(training.test().thresholds, thresholds);
      const std::vector<std::string>& warnings = training.recorder().warnings;
      const bool warned = warnings.size() == 1 && warnings[0].starts_with("the best state is the untrained one");
      EXPECT_EQ(warned, each.best == 0);
    }
  }
}

TEST(Trainer, TellsWhichEvaluationIsTheBestSoFar) {
  const auto ranks = make_mpi_communicator();
  const Training training(*ranks, with_auprc({0.3, 0.2, 0.4, 0.4}), settings_with(setting::Keep::best, 2));
  EXPECT_EQ(training.recorder().is_best, (std::vector<bool>{true, false, true, false}));
}

TEST(Trainer, EvaluatesAtStepZeroEveryFewAndAfterTheLast) {
  const auto ranks = make_mpi_communicator();
  const auto steps_of = [&](std::int64_t eval_every) {
    return Training(*ranks, with_auprc({0.5}), settings_with(setting::Keep::best, eval_every)).result().dev.step;
  };
  using Steps = std::vector<std::int64_t>;
  EXPECT_EQ(steps_of(1), (Steps{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(steps_of(4), (Steps{0, 4, 6}));
  EXPECT_EQ(steps_of(100), (Steps{0, 6}));
  EXPECT_EQ(steps_of(0), (Steps{0, 6}));
}

TEST(Trainer, MeasuresATestSetAtTheThresholdOfItsOwnDevSet) {
  const auto ranks = make_mpi_communicator();
  std::vector<NliMetrics> own_dev = with_auprc({0.9, 0.9});
  own_dev[0].threshold = 0.77;
  own_dev[1].threshold = 0.66;
  const Training training(*ranks, with_auprc({0.1, 0.5, 0.4, 0.3}), settings_with(setting::Keep::best, 2), own_dev);
  if (ranks->is_root()) {
    EXPECT_EQ(training.test().thresholds, (std::vector<double>{0.77, 0.66}));
  }
  EXPECT_EQ(training.result().states[0].dev->threshold, 0.1) << "dev's own, for the saved model";
}

TEST(Trainer, AFailureOfTheScoringIsToldOnAllRanks) {
  const auto ranks = make_mpi_communicator();
  const std::string refusal =
      refusal_of([&] { Training(*ranks, std::vector<NliMetrics>{}, settings_with(setting::Keep::best, 2)); });
  EXPECT_EQ(refusal, "these figures cannot be computed");
}

}  // namespace
}  // namespace gausscse
