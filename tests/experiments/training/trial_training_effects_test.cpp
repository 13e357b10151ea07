#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "dist/communicator.hpp"
#include "experiments/evaluation/nli_task.hpp"
#include "experiments/results/result_file.hpp"
#include "experiments/training/train_trial.hpp"
#include "model/initialize.hpp"
#include "model/model_folder.hpp"
#include "tests/experiments/training/tiny_training.hpp"
#include "tests/support/refusal.hpp"

// What the keys of a trial do to a training, beside those whose effect train_trial_golden_test.cpp compares by value:
// model.head, model.pooling, all of objective, recipe, data.last_batch, evaluation.auprc, and of training epochs,
// batch_size, learning_rate, warmup_ratio, weight_decay, decay_biases_and_norms, schedule, max_tokens, seed (order,
// head and dropout), max_steps, clip_norm and dropout.

namespace gausscse {
namespace {

using testing_support::figure_in;
using testing_support::golden;
using testing_support::joined;
using testing_support::keep_last;
using testing_support::NoRequests;
using testing_support::RecordingObserver;
using testing_support::refusal_of;
using testing_support::says;
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
  EXPECT_TOLD(whole.told.details, "a step embeds this rank's share of 7 examples in 1 pieces of at most 7");
  const TinyRun pieces = told({"training.micro_batch=3"});
  EXPECT_TOLD(pieces.told.details, "a step embeds this rank's share of 7 examples in 3 pieces of at most 3");
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
    Texts all{"training.max_steps=5", "training.checkpoint_minutes=0"};
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

/// 0 is none: the task is then measured at the end alone.
TEST_F(TrialTraining, EvalEveryIsTheDistanceOfATasksMeasurements) {
  using Steps = std::vector<std::int64_t>;
  const auto curves = [&](const char* of_dev, const char* of_other) {
    return train({"training.max_steps=6", concat("tasks.dev.eval_every=", of_dev),
                  concat("tasks.other={kind: nli, files: \"", golden("training/dev.jsonl").string(),
                         "\", threshold: dev, eval_every: ", of_other, "}")})
        .result.curves;
  };
  const std::vector<Curve> both = curves("2", "3");
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].task, "dev");
  EXPECT_EQ(both[0].step, (Steps{0, 2, 4, 6}));
  EXPECT_EQ(both[1].task, "other");
  EXPECT_EQ(both[1].step, (Steps{0, 3, 6}));
  const std::vector<Curve> one = curves("4", "0");
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].step, (Steps{0, 4, 6}));
}

/// 31 examples in batches of seven: four and a rest.
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

/// With these the first state stays the best, and the last is another.
const Texts first_is_best{"objective.loss=ent",           "training.seed=5",           "training.dropout=0",
                          "training.learning_rate=0.002", "training.weight_decay=0.5", "training.epochs=2",
                          "objective.temperature=0.2",    "training.max_tokens=12"};

/// Rounded weights are those of the state that is measured, the best (the first) as well as the last.
TEST_F(TrialTraining, InBfloat16ScoresAreThoseOfTheSavedModel) {
  const auto self = make_self_communicator();
  for (const char* keep : {"best", "last"}) {
    const TinyRun run =
        train(joined(joined(first_is_best, {"training.precision=bf16",
                                            concat("tasks.again={kind: nli, files: \"",
                                                   golden("training/dev.jsonl").string(), "\", threshold: 0.5}")}),
                     std::string(keep) == "last" ? keep_last : Texts{}));
    const SavedModel saved = open_model(run.model, std::nullopt);
    ASSERT_EQ(saved.properties.state, keep);
    const std::unique_ptr<Tokenizer> tokenizer = open_tokenizer(run.model);
    const TaskModel model{
        .tokenizer = *tokenizer, .positions = 64, .max_tokens = 12, .similarity = saved.properties.similarity};
    NliTaskSettings settings;
    settings.file = golden("training/dev.jsonl");
    settings.threshold = "0.5";
    const Measurement again = NliTask("again", settings, model).measure(*saved.encoder, *self, {});
    const Measurement* told = find_measurement(state_of(run.result, keep).tasks, "again");
    ASSERT_TRUE(told);
    ASSERT_EQ(again.columns.size(), told->columns.size());
    for (std::size_t i = 0; i < again.columns.size(); ++i)
      EXPECT_EQ(again.columns[i].values, told->columns[i].values) << keep << again.columns[i].name;
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

TEST_F(TrialTraining, SelectDecidesWhichStateIsSaved) {
  const std::string initial = read_whole_file(golden("weights/tiny-bert/model.safetensors"), 1 << 26);
  const TinyRun best = train(first_is_best), last = train(joined(first_is_best, keep_last));
  ASSERT_EQ(best.result.states.size(), 2u);
  EXPECT_EQ(best.result.states[0].state, "best");
  ASSERT_EQ(best.result.states[0].step, 0);
  EXPECT_EQ(best.result.states[1].step, 8);
  ASSERT_EQ(last.result.states.size(), 1u);
  EXPECT_EQ(last.result.states[0].state, "last");
  EXPECT_EQ(last.result.states[0].step, 8);
  EXPECT_EQ(read_whole_file(best.model / "model.safetensors", 1 << 26), initial);
  EXPECT_NE(read_whole_file(last.model / "model.safetensors", 1 << 26), initial);
  const auto auprc = [](const TinyRun& run) { return run.result.curves.at(0).lines.at(3); };
  ASSERT_EQ(auprc(best).figure, "auprc");
  EXPECT_EQ(auprc(best).values, auprc(last).values);
  EXPECT_EQ(figure_in(best.result, "best", "dev", "auprc"), auprc(best).values.front());
  EXPECT_EQ(figure_in(best.result, "last", "dev", "auprc"), auprc(best).values.back());
}

/// Of all figures of the curve the one that is named has its highest value at the state that is kept.
TEST_F(TrialTraining, SelectTakesTheFigureThatItNames) {
  std::set<std::int64_t> kept;
  for (const char* figure : {"auprc", "accuracy", "threshold", "direction_sim"}) {
    const TinyRun run = train({"tasks.dev.eval_every=1", "training.learning_rate=0.01", "training.epochs=3",
                               "training.dropout=0", std::string("select.figure=") + figure});
    const Curve& dev = run.result.curves.at(0);
    const auto line = std::find_if(dev.lines.begin(), dev.lines.end(),
                                   [&](const Curve::Line& each) { return each.figure == figure; });
    ASSERT_NE(line, dev.lines.end());
    const auto highest = std::max_element(line->values.begin(), line->values.end());
    const std::int64_t step = dev.step[static_cast<std::size_t>(highest - line->values.begin())];
    EXPECT_EQ(run.result.states.at(0).step, step) << figure;
    kept.insert(step);
  }
  EXPECT_GT(kept.size(), 1u) << "else the figure shows in nothing";
}

TEST_F(TrialTraining, AFigureThatDoesNotExistIsRefusedBeforeTheFirstStep) {
  const auto refusal = [&](const Texts& overrides) {
    RecordingObserver told;
    Trial trial = training_.trial(overrides);
    trial.output = training_.folder / "refused";
    NoRequests requests;
    const std::string text = refusal_of([&] { train_trial(trial, {}, *make_self_communicator(), told, requests); });
    EXPECT_TRUE(told.steps.empty());
    return text;
  };
  EXPECT_TRUE(says(refusal({"select.figure=f1"}), "the task \"dev\" has no figure \"f1\"; it has pairs, accuracy"));
  const std::string sick =
      "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tentailment_AB\tentailment_BA\tSemEval_"
      "set\n1\tw1\tw2\tENTAILMENT\t4\tA_entails_B\tB_entails_A\tTRIAL\n";
  EXPECT_TRUE(says(refusal({"tasks.dev.files=" + training_.write("sick.txt", sick).string(),
                            "evaluation.two_way_pairs=drop", "select.figure=direction_sim"}),
                   "direction_sim of dev, does not exist (it is not a number)"));
}

/// The commands take from it how to read, embed and judge.
TEST_F(TrialTraining, TheModelIsSavedWithItsSettings) {
  const auto run = [&](const Texts& overrides) {
    Texts all{"training.learning_rate=0.01", "tasks.dev.eval_every=1"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return train(all);
  };
  const TinyRun best = run({"training.max_tokens=12", "data.trim=true"});
  const TinyRun last =
      run(joined(keep_last, {"objective.similarity=joint", "model.head.mean=linear", "model.pooling=max",
                             "evaluation.no_gold_label=drop", "evaluation.auprc=sweep"}));
  const SavedModel of_best = open_model(best.model, std::nullopt), of_last = open_model(last.model, std::nullopt);
  ASSERT_NE(figure_in(best.result, "best", "dev", "threshold"), 0.5);
  EXPECT_EQ(of_best.properties.threshold, figure_in(best.result, "best", "dev", "threshold"));
  EXPECT_EQ(of_best.properties.step, best.result.states[0].step);
  EXPECT_EQ(of_best.properties.state, "best");
  EXPECT_EQ(of_best.properties.max_tokens, 12);
  EXPECT_TRUE(of_best.properties.trim);
  EXPECT_EQ(of_best.properties.similarity, Similarity::per_dimension);
  EXPECT_EQ(of_best.properties.evaluation, to_words(NliScoring{}));
  EXPECT_EQ(of_best.encoder->settings().head.mean, MeanActivation::tanh);
  EXPECT_EQ(of_best.encoder->settings().pooling, PoolingKind::first_token);

  EXPECT_EQ(of_last.properties.threshold, figure_in(last.result, "last", "dev", "threshold"));
  EXPECT_EQ(of_last.properties.step, 4);
  EXPECT_EQ(of_last.properties.state, "last");
  EXPECT_EQ(of_last.properties.max_tokens, 64);
  EXPECT_FALSE(of_last.properties.trim);
  EXPECT_EQ(of_last.properties.similarity, Similarity::joint);
  EXPECT_EQ(of_last.properties.evaluation,
            to_words({.no_gold_label = setting::NoGoldLabel::drop, .auprc = setting::Auprc::sweep}));
  EXPECT_EQ(of_last.encoder->settings().head.mean, MeanActivation::linear);
  EXPECT_EQ(of_last.encoder->settings().pooling, PoolingKind::max);
}

/// Of tasks that choose a threshold for themselves it is the selecting one's, else the first one's.
TEST_F(TrialTraining, TheSavedThresholdIsThatOfTheTaskThatSelects) {
  const std::string pairs =
      testing_support::nli_line("entailment", "w1 w2", "w1") + testing_support::nli_line("neutral", "w3", "w4 w5 w6");
  const std::string other =
      concat("tasks.other={kind: nli, eval_every: 1, files: \"", training_.write("other.jsonl", pairs).string(), "\"}");
  const std::string given =
      concat("tasks.given={kind: nli, files: \"", golden("training/dev.jsonl").string(), "\", threshold: 0.25}");
  const Texts usual{"training.max_steps=2", given, other};
  const auto saved = [&](const Texts& overrides) {
    const TinyRun run = train(joined(usual, overrides));
    const std::string& state = run.result.states.at(0).state;
    const double of_dev = figure_in(run.result, state, "dev", "threshold");
    const double of_other = figure_in(run.result, state, "other", "threshold");
    EXPECT_NE(of_dev, of_other) << "else this shows nothing";
    const std::optional<double> threshold = open_model(run.model, std::nullopt).properties.threshold;
    return !threshold ? "none" : *threshold == of_dev ? "dev" : *threshold == of_other ? "other" : "another";
  };
  EXPECT_STREQ(saved({}), "dev");
  EXPECT_STREQ(saved({"select.task=other"}), "other");
  EXPECT_STREQ(saved(keep_last), "dev");
  EXPECT_STREQ(saved(joined(keep_last, {"tasks.dev.threshold=0.25"})), "other");
  EXPECT_STREQ(saved(joined(keep_last, {"tasks.dev.threshold=0.25", "tasks.other.threshold=0.5"})), "none");
}

/// Of a folder of sentence-transformers the module Transformer may lie apart.
TEST_F(TrialTraining, AFolderOfSentenceTransformersIsABackbone) {
  const std::filesystem::path folder = training_.folder / "st";
  std::filesystem::create_directories(folder);
  std::filesystem::copy(training_.folder / "model", folder / "0_Transformer", std::filesystem::copy_options::recursive);
  testing_support::write_bytes(folder / "modules.json", R"([
    {"idx": 0, "name": "0", "path": "0_Transformer", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}])");
  const Texts few{"training.max_steps=2"};
  const TinyRun run = train(joined(few, {"model.backbone.path=" + folder.string()}));
  EXPECT_EQ(run.result.training.loss, train(few).result.training.loss);
  testing_support::write_bytes(folder / "modules.json", R"([{"path": "1", "type": "x.Pooling"}])");
  EXPECT_TRUE(
      says(refusal_of([&] { train({"model.backbone.path=" + folder.string()}); }), "has no module Transformer"));
}

/// The only step has rate 0: what is saved after it are the initial weights.
TEST_F(TrialTraining, ANamedArchitectureStartsFromRandomWeights) {
  Trial trial =
      training_.trial({"training.max_steps=1", "training.warmup_ratio=1", "training.batch_size=1", "training.seed=9"});
  trial.model.backbone = {.path = {},
                          .architecture = setting::Architecture::minilm_l6,
                          .init = setting::Init::random,
                          .tokenizer = trial.model.backbone.path};
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
