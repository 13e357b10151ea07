#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "dist/communicator.hpp"
#include "experiments/evaluation/embed_sentences.hpp"
#include "experiments/evaluation/nli_task.hpp"
#include "experiments/results/result_file.hpp"
#include "model/initialize.hpp"
#include "model/model_folder.hpp"
#include "tests/experiments/training/tiny_training.hpp"

// What the keys of a trial do to a training, beside those whose effect train_trial_golden_test.cpp compares by value:
// loss, similarity, head.mean, recipe, data.last_batch, evaluation.auprc, and of training epochs, batch_size,
// learning_rate, temperature, warmup_ratio, weight_decay, decay_biases_and_norms, schedule, max_tokens, seed (order,
// head and dropout), eval_every, max_steps, clip_norm and dropout.

namespace gausscse {
namespace {

using testing_support::golden;
using testing_support::TinyRun;
using testing_support::TinyTraining;
using Texts = std::vector<std::string>;

class TrialTraining : public testing::Test {
 protected:
  TinyRun train(const Texts& overrides) const { return training_.train(overrides); }

  const TinyTraining training_;
};

TEST_F(TrialTraining, MicroBatchIsTheSizeOfPieces) {
  const auto told = [&](const Texts& overrides) {
    Texts all{"training.max_steps=2"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return train(all);
  };
  const TinyRun whole = told({});
  EXPECT_TOLD(whole.told.details, "a step embeds this rank's share of 7 triples in 1 pieces of at most 7");
  const TinyRun pieces = told({"training.micro_batch=3"});
  EXPECT_TOLD(pieces.told.details, "a step embeds this rank's share of 7 triples in 3 pieces of at most 3");
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(pieces.result.training.loss[i], whole.result.training.loss[i], 1e-5 * whole.result.training.loss[i]);
}

/// Shards of a batch of seven: four of at most two triples, or two of at most four; a piece is a shard at least.
TEST_F(TrialTraining, VirtualShardsAreThoseOfRankInvariant) {
  const auto details = [&](const std::string& shards, const std::string& reproducibility,
                           const std::string& micro_batch = "1") {
    return train({"training.max_steps=1", "training.micro_batch=" + micro_batch, "training.virtual_shards=" + shards,
                  "reproducibility=" + reproducibility})
        .told.details;
  };
  EXPECT_TOLD(details("4", "rank_invariant"), "in 4 pieces of at most 2");
  EXPECT_TOLD(details("2", "rank_invariant"), "in 2 pieces of at most 4");
  EXPECT_TOLD(details("4", "rank_invariant", "4"), "in 2 pieces of at most 4");
  EXPECT_TOLD(details("4", "fast"), "in 7 pieces of at most 1");
}

/// A checkpoint every so many steps, and one after the last where there were others.
TEST_F(TrialTraining, CheckpointsAreWrittenWhenTheyAreDue) {
  const auto steps = [&](const Texts& overrides) {
    Texts all{"training.max_steps=5", "training.checkpoint_minutes=0", "training.eval_every=0"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    Texts told;
    for (const std::string& detail : train(all).told.details)
      if (detail.starts_with("checkpoint after step ")) told.push_back(detail.substr(22));
    return told;
  };
  EXPECT_EQ(steps({}), Texts{});
  EXPECT_EQ(steps({"training.checkpoint_every=2"}), (Texts{"2", "4", "5"}));
  EXPECT_EQ(steps({"training.checkpoint_every=3"}), (Texts{"3", "5"}));
  EXPECT_EQ(steps({"training.checkpoint_minutes=1.0e-9"}), (Texts{"1", "2", "3", "4", "5"}));
  EXPECT_EQ(steps({"training.checkpoint_minutes=10000"}), Texts{});
}

TEST_F(TrialTraining, EvalEveryIsTheDistanceOfEvaluations) {
  using Steps = std::vector<std::int64_t>;
  const auto steps = [&](const char* every) {
    return train({"training.max_steps=6", std::string("training.eval_every=") + every}).result.dev.step;
  };
  EXPECT_EQ(steps("2"), (Steps{0, 2, 4, 6}));
  EXPECT_EQ(steps("4"), (Steps{0, 4, 6}));
  EXPECT_EQ(steps("0"), (Steps{0, 6}));
}

/// 31 triples in batches of seven: four and a rest.
TEST_F(TrialTraining, EpochsAndLastBatchDecideTheSteps) {
  const auto steps = [&](const Texts& overrides) { return train(overrides).result.training.step.size(); };
  EXPECT_EQ(steps({}), 4u);
  EXPECT_EQ(steps({"training.epochs=2"}), 8u);
  EXPECT_EQ(steps({"data.last_batch=keep", "training.epochs=2"}), 10u);
  EXPECT_EQ(steps({"data.last_batch=keep", "training.epochs=2", "training.max_steps=3"}), 3u);
  EXPECT_EQ(steps({"training.batch_size=31"}), 1u);
}

/// bfloat16 has eight bits: losses are near those of float32, and not the same.
TEST_F(TrialTraining, PrecisionIsThatOfMatrixProducts) {
  const Texts dropout_off{"training.dropout=0", "training.learning_rate=1.0e-3"};
  Texts bf16 = dropout_off;
  bf16.push_back("training.precision=bf16");
  const auto full = train(dropout_off).result.training.loss, rounded = train(bf16).result.training.loss;
  ASSERT_EQ(full.size(), rounded.size());
  for (std::size_t i = 0; i < full.size(); ++i) {
    EXPECT_NEAR(rounded[i], full[i], 0.02 * full[i]) << i;
    EXPECT_NE(rounded[i], full[i]) << i;
  }
}

/// Rounded weights are those of the state that is evaluated, the best (the first) as well as the last.
TEST_F(TrialTraining, InBfloat16ScoresAreThoseOfTheSavedModel) {
  const auto self = make_self_communicator();
  for (const char* keep : {"best", "last"}) {
    const TinyRun run = train(
        {"training.precision=bf16", "loss=ent", "training.seed=5", "training.dropout=0", "training.learning_rate=0.002",
         "training.weight_decay=0.5", "training.epochs=2", "training.temperature=0.2", "training.max_tokens=12",
         "data.test.again=" + golden("training/dev.jsonl").string(), std::string("training.keep=") + keep});
    ASSERT_NE(run.result.states.at(0).step, run.result.states.at(1).step);
    const SavedModel saved = open_model(run.model, std::nullopt);
    const NliTask task("again", NliTask::Role::test, golden("training/dev.jsonl"), *open_tokenizer(run.model),
                       {.similarity = saved.properties.similarity, .max_tokens = 12});
    const NliScores scores = task.evaluate(embed_sentences(*saved.encoder, task.sentences(), *self), 0.5).scores;
    const NliScores& told = state_of(run.result, keep).tests.at(0).scores;
    EXPECT_EQ(scores.sim_hypothesis_premise, told.sim_hypothesis_premise) << keep;
    EXPECT_EQ(scores.log_std_premise, told.log_std_premise) << keep;
  }
}

/// The folder's config.json has 0.1 for both.
TEST_F(TrialTraining, DropoutIsTheConfigsUnlessGiven) {
  const auto losses = [&](const char* dropout) {
    return train({std::string("training.dropout=") + dropout, "training.max_steps=2"}).result.training.loss;
  };
  const auto of_config = losses("from_config");
  EXPECT_EQ(of_config, losses("0.1"));
  EXPECT_NE(of_config, losses("0"));
}

/// With so high a learning rate the first state stays the best, and the last is another.
TEST_F(TrialTraining, KeepDecidesWhichStateIsSaved) {
  const std::string initial = read_whole_file(golden("weights/tiny-bert/model.safetensors"), 1 << 26);
  const auto run = [&](const char* keep) {
    return train({"loss=ent", "training.seed=5", "training.dropout=0", "training.learning_rate=0.002",
                  "training.weight_decay=0.5", "training.epochs=2", "training.temperature=0.2",
                  "training.max_tokens=12", std::string("training.keep=") + keep});
  };
  const TinyRun best = run("best"), last = run("last");
  ASSERT_EQ(best.result.states.at(0).step, 0);
  EXPECT_EQ(best.result.states.at(1).step, 8);
  EXPECT_EQ(read_whole_file(best.model / "model.safetensors", 1 << 26), initial);
  EXPECT_NE(read_whole_file(last.model / "model.safetensors", 1 << 26), initial);
  EXPECT_EQ(best.result.dev.auprc, last.result.dev.auprc);
  EXPECT_EQ(best.result.states[0].dev->auprc, best.result.dev.auprc.front());
  EXPECT_EQ(best.result.states[1].dev->auprc, best.result.dev.auprc.back());
}

/// The commands take from it how to read, embed and judge.
TEST_F(TrialTraining, TheModelIsSavedWithItsSettings) {
  const auto run = [&](const Texts& overrides) {
    Texts all{"training.learning_rate=0.01", "training.eval_every=1"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return train(all);
  };
  const TinyRun best = run({"training.keep=best", "training.max_tokens=12", "data.trim=true"});
  const TinyRun last = run({"training.keep=last", "similarity=joint", "head.mean=linear", "pooling=max",
                            "data.no_gold_label=drop", "evaluation.auprc=sweep"});
  const SavedModel of_best = open_model(best.model, std::nullopt), of_last = open_model(last.model, std::nullopt);
  ASSERT_NE(best.result.states.at(0).dev->threshold, 0.5);
  EXPECT_EQ(of_best.properties.threshold, best.result.states[0].dev->threshold);
  EXPECT_EQ(of_best.properties.step, best.result.states[0].step);
  EXPECT_EQ(of_best.properties.state, "best");
  EXPECT_EQ(of_best.properties.max_tokens, 12);
  EXPECT_TRUE(of_best.properties.trim);
  EXPECT_EQ(of_best.properties.similarity, SimilarityKind::per_dimension);
  EXPECT_EQ(of_best.properties.evaluation, to_words(NliScoring{}));
  EXPECT_EQ(of_best.encoder->settings().head.mean, MeanActivation::tanh);
  EXPECT_EQ(of_best.encoder->settings().pooling, PoolingKind::first_token);

  EXPECT_EQ(of_last.properties.threshold, last.result.states.at(1).dev->threshold);
  EXPECT_EQ(of_last.properties.step, 4);
  EXPECT_EQ(of_last.properties.state, "last");
  EXPECT_EQ(of_last.properties.max_tokens, 64);
  EXPECT_FALSE(of_last.properties.trim);
  EXPECT_EQ(of_last.properties.similarity, SimilarityKind::joint);
  EXPECT_EQ(of_last.properties.evaluation,
            to_words({.no_gold_label = setting::NoGoldLabel::drop, .auprc = setting::Auprc::sweep}));
  EXPECT_EQ(of_last.encoder->settings().head.mean, MeanActivation::linear);
  EXPECT_EQ(of_last.encoder->settings().pooling, PoolingKind::max);
}

/// The only step has rate 0: what is saved after it are the initial weights.
TEST_F(TrialTraining, ANamedArchitectureStartsFromRandomWeights) {
  Trial trial =
      training_.trial({"training.max_steps=1", "training.warmup_ratio=1", "training.batch_size=1", "training.seed=9"});
  trial.backbone = {.path = {},
                    .architecture = setting::Architecture::minilm_l6,
                    .init = setting::Init::random,
                    .tokenizer = trial.backbone.path};
  const TinyRun run = training_.train(trial);
  SentenceEncoder expected({.encoder = named_encoder_config("minilm-l6")});
  const EncoderConfig config = read_encoder_config(run.model);
  EXPECT_EQ(config.vocabulary_size, 60);
  EXPECT_EQ(config.layers, expected.settings().encoder.layers);
  EXPECT_EQ(config.hidden_size, expected.settings().encoder.hidden_size);
  SentenceEncoder initial({.encoder = config});
  initialize_encoder(initial.parameters(), 9);
  initialize_head(initial.parameters(), 9);
  const SavedModel saved = open_model(run.model, std::nullopt);
  EXPECT_TRUE(saved.encoder->parameters().values().equal(initial.parameters().values()));
}

}  // namespace
}  // namespace gausscse
