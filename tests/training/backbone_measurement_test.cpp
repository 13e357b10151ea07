#include "dist/communicator.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/trial_training_fixture.hpp"

namespace gausscse {
namespace {

/// Observer that keeps the reports of the backbone.
class BackboneObserver : public RecordingObserver {
 public:
  void on_backbone(const StateResult& backbone, std::optional<PoolingKind> pooling) override {
    backbones.push_back(backbone);
    poolings.push_back(pooling.value());
  }
  void on_resumed(const RunResult& done, std::int64_t) override { resumed = done; }
  std::vector<StateResult> backbones;
  RunResult resumed;  ///< series, curves and early states at the last start
  std::vector<PoolingKind> poolings;
};

/// Settings of a vector without a head, compared by cosine, after one step of rate 0: the backbone by another way.
const std::vector<std::string> untrained_cosine{"model.head.kind=none", "objective.kind=cosine_contrastive",
                                                "training.max_steps=1", "training.warmup_ratio=1",
                                                "training.weight_decay=0"};

std::vector<double> metrics_of(const RunResult& result, const std::string& state) {
  std::vector<double> values;
  const StateResult* const found = find_state(result, state);
  EXPECT_TRUE(found) << state;
  if (!found) return values;
  for (const char* name : {"accuracy", "threshold", "auprc"})
    values.push_back(metric_of(*find_measurement(found->tasks, "dev"), name));
  return values;
}

class BackboneMeasurement : public TrialTraining {
 protected:
  /// Names mean as the pooling of the folder "model".
  void pool_by_mean() const {
    write_bytes(training_.folder / "model" / "modules.json",
                R"([{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
                                     {"idx": 1, "name": "1", "path": "1_Pooling",
                                      "type": "sentence_transformers.models.Pooling"}])");
    std::filesystem::create_directory(training_.folder / "model" / "1_Pooling");
    write_bytes(training_.folder / "model" / "1_Pooling" / "config.json",
                R"({"word_embedding_dimension": 48, "pooling_mode_mean_tokens": true})");
  }
};

TEST_F(BackboneMeasurement, IsTheCosineOfThePooledVectors) {
  const TinyRun gaussian = train(joined(keep_last, {"training.max_steps=2", "training.learning_rate=1e-3"}));
  const TinyRun cosine = train(joined(keep_last, untrained_cosine));
  EXPECT_EQ(metrics_of(gaussian.result, "backbone"), metrics_of(cosine.result, "last"));
  EXPECT_EQ(metrics_of(cosine.result, "backbone"), metrics_of(cosine.result, "last"));
  EXPECT_NE(metrics_of(gaussian.result, "last"), metrics_of(gaussian.result, "backbone"));
  EXPECT_EQ(find_state(gaussian.result, "backbone")->step, 0);
}

TEST_F(BackboneMeasurement, PoolsAsTheFolderSays) {
  const auto first_token = metrics_of(train(joined(keep_last, untrained_cosine)).result, "last");
  const auto mean =
      metrics_of(train(joined(keep_last, joined(untrained_cosine, {"model.pooling=mean"}))).result, "last");
  ASSERT_NE(first_token, mean);
  pool_by_mean();
  const TinyRun run = train(joined(keep_last, {"training.max_steps=1"}));
  EXPECT_EQ(metrics_of(run.result, "backbone"), mean);
  // And so does a trial that asks for it.
  const TinyRun own = train(joined(keep_last, joined(untrained_cosine, {"model.pooling=own"})));
  EXPECT_EQ(metrics_of(own.result, "last"), mean);
  EXPECT_EQ(open_model(own.model, std::nullopt).encoder->settings().pooling, PoolingKind::mean);
}

TEST_F(BackboneMeasurement, OwnPoolingNeedsAFolderThatNamesOne) {
  EXPECT_THROW(
      {
        try {
          train({"model.pooling=own", "training.max_steps=1"});
        } catch (const InputError& error) {
          EXPECT_TRUE(holds({error.what()}, "model.pooling is own, but ")) << error.what();
          EXPECT_TRUE(holds({error.what()}, "give model.pooling first_token, mean")) << error.what();
          throw;
        }
      },
      InputError);
}

TEST_F(BackboneMeasurement, IsLeftOutOnRequestAndOfRandomWeights) {
  EXPECT_FALSE(find_state(train({"evaluation.backbone=false", "training.max_steps=1"}).result, "backbone"));
  Trial random = training_.trial({"training.max_steps=1"});
  random.model.backbone = {.path = {},
                           .architecture = setting::Architecture::minilm_l6,
                           .init = setting::Init::random,
                           .tokenizer = training_.folder / "model"};
  EXPECT_FALSE(find_state(training_.train(random).result, "backbone"));
}

/// It is measured once, before the first step, also where a training is stopped and goes on.
TEST_F(BackboneMeasurement, IsKeptInCheckpoints) {
  Trial trial = training_.trial({"training.max_steps=3"});
  BackboneObserver told;
  const auto train = [&](int steps) {
    StopAfter requests(steps);
    return train_trial(trial, training_.options, *make_self_communicator(), told, requests);
  };
  trial.output = training_.folder / "whole";
  const RunResult whole = train(100);
  trial.output = training_.folder / "stopped";
  EXPECT_THROW(train(1), TrainingStopped);
  const RunResult stopped = train(100);
  ASSERT_EQ(told.backbones.size(), 2u);
  EXPECT_EQ(told.poolings, (std::vector<PoolingKind>(2, PoolingKind::first_token)));
  EXPECT_EQ(metrics_of(stopped, "backbone"), metrics_of(whole, "backbone"));
  EXPECT_EQ(metrics_of(told.resumed, "backbone"), metrics_of(whole, "backbone")) << "the log goes on comparing";
  EXPECT_EQ(told.resumed.training.step.size(), 1u);
  EXPECT_EQ(metric_of(told.backbones[1].tasks[0], "auprc"), metrics_of(whole, "backbone")[2]);
  EXPECT_EQ(stopped.training.loss, whole.training.loss);
}

/// A kept state that is worse than the backbone in the metric that selects it is a warning, also under from_step.
TEST_F(BackboneMeasurement, AStateThatIsWorseIsAWarning) {
  for (const char* from_step : {"select.from_step=0", "select.from_step=1"}) {
    const TinyRun run = train({"training.max_steps=1", from_step});
    const double backbone = metrics_of(run.result, "backbone")[2], kept = metrics_of(run.result, "best")[2];
    EXPECT_EQ(holds(run.told.warnings, "less than the backbone's"), kept < backbone) << kept << " " << backbone;
  }
}

}  // namespace
}  // namespace gausscse
