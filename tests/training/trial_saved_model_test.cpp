#include "data/tokenizer/tokenizer.hpp"
#include "dist/communicator.hpp"
#include "evaluation/nli/nli_task.hpp"
#include "inference/calibration/calibration.hpp"
#include "model/folder/weights_hash.hpp"
#include "results/result_file.hpp"
#include "tests/evaluation/task/model_to_read_for.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/trial_training_fixture.hpp"
#include "training/train_trial.hpp"

// Choice of the state of a training, and the properties that it is saved with.

namespace gausscse {
namespace {

using Texts = std::vector<std::string>;

/// With these the first state stays the best, and the last is another.
const Texts first_is_best{"objective.loss=ent",           "training.seed=5",           "training.dropout=0",
                          "training.learning_rate=0.002", "training.weight_decay=0.5", "training.epochs=2",
                          "objective.temperature=0.2",    "training.max_tokens=12"};

TEST_F(TrialTraining, SelectDecidesWhichStateIsSaved) {
  const std::string initial = read_whole_file(golden("weights/tiny-bert/model.safetensors"), 1 << 26);
  const TinyRun best = train(first_is_best), last = train(joined(first_is_best, keep_last));
  ASSERT_EQ(best.result.states.size(), 3u);  // the backbone is the last
  EXPECT_EQ(best.result.states[0].state, "best");
  ASSERT_EQ(best.result.states[0].step, 0);
  EXPECT_EQ(best.result.states[1].step, 8);
  ASSERT_EQ(last.result.states.size(), 2u);
  EXPECT_EQ(last.result.states[0].state, "last");
  EXPECT_EQ(last.result.states[0].step, 8);
  EXPECT_EQ(read_whole_file(best.model / "model.safetensors", 1 << 26), initial);
  EXPECT_NE(read_whole_file(last.model / "model.safetensors", 1 << 26), initial);
  const auto auprc = [](const TinyRun& run) { return run.result.curves.at(0).lines.at(3); };
  ASSERT_EQ(auprc(best).metric, "auprc");
  EXPECT_EQ(auprc(best).values, auprc(last).values);
  EXPECT_EQ(metric_in(best.result, "best", "dev", "auprc"), auprc(best).values.front());
  EXPECT_EQ(metric_in(best.result, "last", "dev", "auprc"), auprc(best).values.back());
}

/// The metric that `select` names has its highest value of the curve at the state that is kept.
TEST_F(TrialTraining, SelectTakesTheMetricThatItNames) {
  std::set<std::int64_t> kept;
  for (const char* metric : {"auprc", "accuracy", "threshold", "direction_sim"}) {
    const TinyRun run = train({"tasks.dev.eval_every=1", "training.learning_rate=0.01", "training.epochs=3",
                               "training.dropout=0", std::string("select.figure=") + metric});
    const Curve& dev = run.result.curves.at(0);
    const auto line = std::find_if(dev.lines.begin(), dev.lines.end(),
                                   [&](const Curve::Line& each) { return each.metric == metric; });
    ASSERT_NE(line, dev.lines.end());
    const auto highest = std::max_element(line->values.begin(), line->values.end());
    const std::int64_t step = dev.step[static_cast<std::size_t>(highest - line->values.begin())];
    EXPECT_EQ(run.result.states.at(0).step, step) << metric;
    kept.insert(step);
  }
  EXPECT_GT(kept.size(), 1u) << "else the metric shows in nothing";
}

TEST_F(TrialTraining, AMetricThatDoesNotExistIsRefusedBeforeTheFirstStep) {
  const auto refusal = [&](const Texts& overrides) {
    RecordingObserver told;
    Trial trial = training_.trial(overrides);
    trial.output = training_.folder / "refused";
    NoRequests requests;
    std::string text = refusal_of([&] { train_trial(trial, {}, *make_self_communicator(), told, requests); });
    EXPECT_TRUE(told.steps.empty());
    return text;
  };
  const std::string sick =
      "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tentailment_AB\tentailment_BA\tSemEval_"
      "set\n1\tw1\tw2\tENTAILMENT\t4\tA_entails_B\tB_entails_A\tTRIAL\n";
  const std::string files = "tasks.dev.files=" + training_.write("sick.txt", sick).string();
  EXPECT_TRUE(says(refusal({files, "select.figure=accuracy.contradiction"}),
                   "the task \"dev\" has no metric \"accuracy.contradiction\"; it has pairs, accuracy"));
  EXPECT_TRUE(says(refusal({files, "evaluation.two_way_pairs=drop", "select.figure=direction_sim"}),
                   "direction_sim of dev, is not a number"));
}

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
    const SentenceModel model = model_to_read_for(*tokenizer, 64, 12, saved.properties);
    NliTaskSettings settings;
    settings.file = golden("training/dev.jsonl");
    settings.threshold = "0.5";
    const Measurement again = NliTask("again", settings, model, {}).measure(*saved.encoder, *self, {});
    const Measurement* told = find_measurement(find_state(run.result, keep)->tasks, "again");
    ASSERT_TRUE(told);
    ASSERT_EQ(again.columns.size(), told->columns.size());
    for (std::size_t i = 0; i < again.columns.size(); ++i)
      EXPECT_EQ(again.columns[i].values, told->columns[i].values) << keep << again.columns[i].name;
  }
}

/// The commands take from it how to read, embed and judge.
TEST_F(TrialTraining, TheModelIsSavedWithItsSettings) {
  const auto run = [&](const Texts& overrides) {
    return train(joined({"training.learning_rate=0.01", "tasks.dev.eval_every=1"}, overrides));
  };
  const TinyRun best = run({"training.max_tokens=12", "data.trim=true"});
  const TinyRun last =
      run(joined(keep_last, {"objective.similarity=joint", "model.head.mean=linear", "model.pooling=max",
                             "evaluation.no_gold_label=drop", "evaluation.auprc=sweep"}));
  const SavedModel of_best = open_model(best.model, std::nullopt), of_last = open_model(last.model, std::nullopt);
  ASSERT_NE(metric_in(best.result, "best", "dev", "threshold"), 0.5);
  EXPECT_EQ(of_best.properties.threshold, metric_in(best.result, "best", "dev", "threshold"));
  const std::optional<Calibration> calibration = Calibration::of_model(best.model.parent_path());
  ASSERT_TRUE(calibration);
  EXPECT_EQ(calibration->text(), of_best.properties.calibration);
  EXPECT_EQ(calibration->numbers().weights, weights_hash(of_best.encoder->parameters()));
  const Measurement* dev = find_measurement(find_state(best.result, "best")->tasks, "dev");
  const auto* similarity = find_column<std::vector<float>>(*dev, "sim_hypothesis_premise");
  const auto* probability = find_column<std::vector<double>>(*dev, "probability");
  ASSERT_TRUE(similarity && probability);
  for (std::size_t i = 0; i < similarity->size(); ++i)
    EXPECT_EQ(calibration->probability({.forward = static_cast<double>(similarity->at(i))}), probability->at(i)) << i;
  EXPECT_EQ(of_best.properties.step, best.result.states[0].step);
  EXPECT_EQ(of_best.properties.state, "best");
  EXPECT_EQ(of_best.properties.max_tokens, 12);
  EXPECT_TRUE(of_best.properties.trim);
  EXPECT_EQ(of_best.properties.similarity, Similarity::per_dimension);
  EXPECT_EQ(of_best.properties.evaluation, to_words(NliScoring{}));
  EXPECT_EQ(of_best.encoder->settings().head.mean, MeanLayer::tanh);
  EXPECT_EQ(of_best.encoder->settings().pooling, PoolingKind::first_token);

  EXPECT_EQ(of_last.properties.threshold, metric_in(last.result, "last", "dev", "threshold"));
  EXPECT_EQ(of_last.properties.step, 4);
  EXPECT_EQ(of_last.properties.state, "last");
  EXPECT_EQ(of_last.properties.max_tokens, 64);
  EXPECT_FALSE(of_last.properties.trim);
  EXPECT_EQ(of_last.properties.similarity, Similarity::joint);
  EXPECT_EQ(of_last.properties.evaluation,
            to_words({.no_gold_label = setting::NoGoldLabel::drop, .auprc = setting::Auprc::sweep}));
  EXPECT_EQ(of_last.encoder->settings().head.mean, MeanLayer::linear);
  EXPECT_EQ(of_last.encoder->settings().pooling, PoolingKind::max);
}

/// The threshold is that of the selecting task, else of the first one that chooses a threshold for itself.
TEST_F(TrialTraining, TheSavedThresholdIsThatOfTheTaskThatSelects) {
  const std::string pairs = nli_line("entailment", "w1 w2", "w1") + nli_line("neutral", "w3", "w4 w5 w6");
  const std::string other =
      concat("tasks.other={kind: nli, eval_every: 1, files: \"", training_.write("other.jsonl", pairs).string(), "\"}");
  const std::string given =
      concat("tasks.given={kind: nli, files: \"", golden("training/dev.jsonl").string(), "\", threshold: 0.25}");
  const Texts usual{"training.max_steps=2", given, other};
  const auto saved = [&](const Texts& overrides) {
    const TinyRun run = train(joined(usual, overrides));
    const std::string& state = run.result.states.at(0).state;
    const double of_dev = metric_in(run.result, state, "dev", "threshold");
    const double of_other = metric_in(run.result, state, "other", "threshold");
    EXPECT_NE(of_dev, of_other) << "else this shows nothing";
    const std::optional<double> threshold = open_model(run.model, std::nullopt).properties.threshold;
    // The other set has one pair for the calibrators, which need two kinds.
    const std::optional<Calibration> calibration = Calibration::of_model(run.model);
    EXPECT_EQ(calibration ? calibration->numbers().set : "none", threshold == of_dev ? "dev" : "none");
    return !threshold ? "none" : *threshold == of_dev ? "dev" : *threshold == of_other ? "other" : "another";
  };
  EXPECT_STREQ(saved({}), "dev");
  EXPECT_STREQ(saved({"select.task=other"}), "other");
  EXPECT_STREQ(saved(keep_last), "dev");
  EXPECT_STREQ(saved(joined(keep_last, {"tasks.dev.threshold=0.25"})), "other");
  EXPECT_STREQ(saved(joined(keep_last, {"tasks.dev.threshold=0.25", "tasks.other.threshold=0.5"})), "none");
}

/// A step at so low a rate leaves the initial weights as they are.
const Texts standing = joined(keep_last, {"training.max_steps=1", "training.learning_rate=1.0e-30",
                                          "training.weight_decay=0", "training.dropout=0"});

/// Both the run's folder and its folder `model` are the run's model.
TEST_F(TrialTraining, AWarmStartTakesTheHeadOfTheRunsModel) {
  const TinyRun first = train(joined(keep_last, {"training.learning_rate=0.01"}));
  const std::vector<float> head = parameters_of(first.model, {"head."}),
                           encoder = parameters_of(first.model, {"embeddings.", "encoder."});
  const std::filesystem::path run = first.model.parent_path();
  for (const std::filesystem::path& path : {first.model, run}) {
    const TinyRun second = train(joined(standing, {"model.backbone.path=" + path.string()}));
    EXPECT_LT(largest_difference(parameters_of(second.model, {"head."}), head), 1e-20);
    EXPECT_LT(largest_difference(parameters_of(second.model, {"embeddings.", "encoder."}), encoder), 1e-20);
    EXPECT_TOLD(second.told.notes,
                concat("the head starts from that of ", first.model.string(), " (gaussian, mean tanh)"));
    EXPECT_FALSE(holds(second.told.notes, "but its")) << "nothing else has changed";
  }
  const TinyRun other =
      train(joined(standing, {"model.backbone.path=" + run.string(), "model.head.mean=linear", "model.pooling=mean"}));
  EXPECT_LT(largest_difference(parameters_of(other.model, {"head."}), head), 1e-20);
  EXPECT_TOLD(other.told.notes, "but its mean gets the activation linear");
  EXPECT_TOLD(other.told.notes, "but its pooling was first_token and is now mean");
}

TEST_F(TrialTraining, AHeadThatIsNotTakenIsDrawnByTheSeedAndNamed) {
  const TinyRun first = train(joined(keep_last, {"training.learning_rate=0.01"}));
  const std::string backbone = "model.backbone.path=" + first.model.string();
  const TinyRun drawn = train(standing);
  EXPECT_FALSE(holds(drawn.told.notes, "the head")) << "a folder without one has nothing to leave out";
  const TinyRun random = train(joined(standing, {backbone, "model.head.init=random"}));
  EXPECT_LT(largest_difference(parameters_of(random.model, {"head."}), parameters_of(drawn.model, {"head."})), 1e-20);
  EXPECT_GT(largest_difference(parameters_of(random.model, {"head."}), parameters_of(first.model, {"head."})), 1e-3);
  EXPECT_LT(largest_difference(parameters_of(random.model, {"embeddings.", "encoder."}),
                               parameters_of(first.model, {"embeddings.", "encoder."})),
            1e-20);
  EXPECT_TOLD(random.told.notes,
              concat("the head of ", first.model.string(), " is left out: model.head.init is random"));
  const TinyRun other_kind =
      train(joined(standing, {backbone, "recipe=simcse", "training.max_tokens=64", "data.last_batch=drop"}));
  EXPECT_TOLD(other_kind.told.notes, concat("the head of ", first.model.string(),
                                            " (gaussian, mean tanh) is left out, as the trial has another kind "
                                            "(mlp_tanh)"));
}

/// sentence-transformers applies each module on the output of the one before, unless the trial asks for both.
TEST_F(TrialTraining, TheTrialDecidesTheModulesOfTheSavedModel) {
  const Texts few = joined(keep_last, {"training.max_steps=1"});
  const TinyRun usual = train(few), both = train(joined(few, {"model.sentence_transformers=mean_and_log_var"}));
  EXPECT_TRUE(std::filesystem::exists(usual.model / "2_Mean"));
  EXPECT_FALSE(std::filesystem::exists(usual.model / "2_LogVariance"));
  EXPECT_TRUE(std::filesystem::exists(both.model / "2_LogVariance"));
  EXPECT_TRUE(std::filesystem::exists(both.model / "3_Mean"));
  EXPECT_EQ(parameters_of(usual.model, {"head."}), parameters_of(both.model, {"head."}));
  const std::string card_of_both = read_whole_file(both.model / "README.md", 1 << 20),
                    usual_card = read_whole_file(usual.model / "README.md", 1 << 20);
  EXPECT_TRUE(says(card_of_both, "model.encode(sentences, output_value=\"log_variance\")"));
  EXPECT_EQ(card_of_both.find("--as sentence-transformers-gaussian"), std::string::npos);
  EXPECT_TRUE(says(usual_card, "gausscse export MODEL_DIR GAUSSIAN_DIR --as sentence-transformers-gaussian"));
}

/// A backbone whose sentences are lowered gives models whose sentences are, too.
TEST_F(TrialTraining, WhatTheBackboneSaysOfSentencesIsKept) {
  const std::filesystem::path folder = training_.folder / "lower";
  std::filesystem::copy(training_.folder / "model", folder, std::filesystem::copy_options::recursive);
  write_bytes(folder / "sentence_bert_config.json", R"({"do_lower_case": true, "max_seq_length": 32})");
  const Texts few = joined(keep_last, {"training.max_steps=1", "model.backbone.path=" + folder.string()});
  const TinyRun run = train(few);
  EXPECT_TRUE(open_tokenizer(run.model)->lowers_sentences());
  EXPECT_TRUE(holds(run.told.warnings,
                    "max_seq_length is 32, where sentence-transformers cuts sentences; this program "
                    "cuts them at 64 tokens"));
  EXPECT_FALSE(holds(train(joined(few, {"training.max_tokens=32"})).told.warnings, "max_seq_length"));
  const TinyRun plain = train(joined(keep_last, {"training.max_steps=1"}));
  EXPECT_FALSE(open_tokenizer(plain.model)->lowers_sentences());
}

}  // namespace
}  // namespace gausscse
