#include <ATen/core/Tensor.h>

#include "data/tokenizer/tokenizer.hpp"
#include "dist/communicator.hpp"
#include "evaluation/nli/nli_labels_task.hpp"
#include "results/result_file.hpp"
#include "tests/evaluation/task/model_to_read_for.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/trial_training_fixture.hpp"

// The trained classifier's labels: while training, in the end, and of the model as it was saved; and its warm start.

namespace gausscse {
namespace {

using Texts = std::vector<std::string>;

Texts classification() {
  return joined(keep_last, {"recipe=liao", "data.train=[" + golden("training/premises.jsonl").string() + "]",
                            "training.max_tokens=12", "training.learning_rate=0.01",
                            "tasks.labels={kind: nli_labels, files: \"" + golden("training/dev.jsonl").string() +
                                "\", eval_every: 2}"});
}

const std::vector<std::uint8_t>& predictions_of(const Measurement& measurement) {
  EXPECT_EQ(measurement.columns.at(1).name, "prediction");
  return std::get<std::vector<std::uint8_t>>(measurement.columns.at(1).values);
}

SentenceModel model_of(const Tokenizer& tokenizer, const ModelProperties& properties) {
  return model_to_read_for(tokenizer, 64, static_cast<std::size_t>(properties.max_tokens), properties);
}

TEST_F(TrialTraining, LabelsOfTheSavedModelAreThoseOfTheTraining) {
  const auto self = make_self_communicator();
  for (const char* activation : {"none", "tanh"}) {
    const TinyRun run = train(joined(classification(), {concat("objective.activation=", activation)}));
    ASSERT_EQ(run.result.curves.size(), 2u);
    const Curve& curve = run.result.curves[1];
    EXPECT_EQ(curve.task, "labels");
    EXPECT_EQ(curve.step, (std::vector<std::int64_t>{0, 2, 4, 5}));
    const Measurement* told = find_measurement(find_state(run.result, "last")->tasks, "labels");
    ASSERT_TRUE(told);
    EXPECT_EQ(told->kind, "nli_labels");
    ASSERT_EQ(curve.lines.at(1).metric, "accuracy");
    EXPECT_EQ(curve.lines[1].values.back(), metric_of(*told, "accuracy"));

    const SavedModel saved = open_model(run.model, std::nullopt);
    ASSERT_TRUE(saved.properties.classifier);
    EXPECT_EQ(name_of(*saved.properties.classifier), activation);
    const auto tokenizer = open_tokenizer(run.model);
    const NliLabelsTask task("again", {.file = golden("training/dev.jsonl")}, model_of(*tokenizer, saved.properties),
                             {});
    const Measurement again = task.measure(*saved.encoder, *self, {});
    EXPECT_EQ(predictions_of(again), predictions_of(*told));
    EXPECT_EQ(again.metrics.size(), told->metrics.size());

    // Without the classifier's weights there is nothing to ask.
    saved.encoder->parameters().value("objective.classifier.output.weight").zero_();
    at::Tensor bias = saved.encoder->parameters().value("objective.classifier.output.bias");
    for (std::int64_t label = 0; label < 3; ++label) {
      bias.zero_();
      bias[label] = 1;
      const Measurement one = task.measure(*saved.encoder, *self, {});
      EXPECT_EQ(predictions_of(one), std::vector<std::uint8_t>(24, static_cast<std::uint8_t>(label)));
      const double counts[] = {9.0, 8.0, 7.0};
      EXPECT_DOUBLE_EQ(metric_of(one, "accuracy"), counts[label] / 24);
    }
  }
}

/// A sum whose classification has the weight 0 leaves no classifier.
TEST_F(TrialTraining, ModelsWithoutAClassifierCannotTellLabels) {
  const TinyRun run =
      train(joined(keep_last, {"recipe=liao", "data.train=[" + golden("training/premises.jsonl").string() + "]",
                               "training.max_steps=1", "training.max_tokens=12", "objective.kind=sum",
                               "objective.terms.a={kind: pair_classification, weight: 0}",
                               "objective.terms.b={kind: supervised_contrastive}"}));
  const SavedModel saved = open_model(run.model, std::nullopt);
  EXPECT_FALSE(saved.properties.classifier);
  const auto tokenizer = open_tokenizer(run.model);
  EXPECT_TRUE(says(refusal_of([&] {
                     NliLabelsTask("snli", {.file = golden("training/dev.jsonl")},
                                   model_of(*tokenizer, saved.properties), {});
                   }),
                   "the task \"snli\" (nli_labels) asks the model's classifier of pairs, but the model has none"));
  // What the model says it has, and has not.
  ModelProperties wrong = saved.properties;
  wrong.classifier = ClassifierActivation::none;
  const NliLabelsTask task("snli", {.file = golden("training/dev.jsonl")}, model_of(*tokenizer, wrong), {});
  EXPECT_TRUE(says(refusal_of([&] { task.measure(*saved.encoder, *make_self_communicator(), {}); }),
                   "objective.classifier.hidden.weight is missing or not that of a classifier"));
}

/// One step at so low a rate leaves the weights that a training starts from.
TEST_F(TrialTraining, AWarmStartTakesThePairClassifier) {
  const Texts base = joined(keep_last, {"recipe=liao", "training.max_tokens=12", "training.dropout=0",
                                        "data.train=[" + golden("training/premises.jsonl").string() + "]"});
  const Texts standing_still = joined(base, {"training.max_steps=1", "training.learning_rate=1.0e-30"});
  const TinyRun first = train(joined(base, {"training.learning_rate=0.01"}));
  const std::vector<float> trained = parameters_of(first.model, {"objective."});
  const std::string backbone = "model.backbone.path=" + first.model.string();
  const std::string name = "the pair classifier of " + first.model.string();
  const std::string taken = "the pair classifier starts from that of " + first.model.string();
  const auto is_noted = [](const TinyRun& run, const std::string& note) {
    return std::ranges::find(run.told.notes, note) != run.told.notes.end();
  };

  const TinyRun drawn = train(standing_still);
  EXPECT_GT(largest_difference(parameters_of(drawn.model, {"objective."}), trained), 1e-3) << "else this shows nothing";
  for (const std::string& note : drawn.told.notes) EXPECT_EQ(note.find("classifier"), std::string::npos) << note;

  const TinyRun second = train(joined(standing_still, {backbone}));
  EXPECT_LT(largest_difference(parameters_of(second.model, {"objective."}), trained), 1e-20);
  EXPECT_TRUE(is_noted(second, taken));
  const TinyRun other = train(joined(standing_still, {backbone, "objective.activation=relu"}));
  EXPECT_LT(largest_difference(parameters_of(other.model, {"objective."}), trained), 1e-20);
  EXPECT_TRUE(is_noted(other, taken + ", but its activation was none and is now relu"));
  const TinyRun random = train(joined(standing_still, {backbone, "model.head.init=random"}));
  EXPECT_LT(largest_difference(parameters_of(random.model, {"objective."}), parameters_of(drawn.model, {"objective."})),
            1e-20);
  EXPECT_TRUE(is_noted(random, name + " is left out: model.head.init is random"));

  // Embeddings of another head are not those that it learnt to read.
  const TinyRun headed = train(joined(standing_still, {backbone, "model.head.kind=mlp_tanh"}));
  EXPECT_GT(largest_difference(parameters_of(headed.model, {"objective."}), trained), 1e-3);
  EXPECT_TRUE(is_noted(headed, name + " is left out, as it was trained with a head of another kind"));

  const TinyRun contrastive = train(joined(standing_still, {backbone, "objective.kind=supervised_contrastive"}));
  EXPECT_TRUE(is_noted(contrastive, name + " is left out, as the trial's objective has none"));
  const TinyRun again = train(joined(standing_still, {"model.backbone.path=" + contrastive.model.string()}));
  EXPECT_LT(largest_difference(parameters_of(again.model, {"objective."}), parameters_of(drawn.model, {"objective."})),
            1e-20);
  EXPECT_TRUE(is_noted(
      again, "the pair classifier starts from random weights, as " + contrastive.model.string() + " has none"));
}

TEST_F(TrialTraining, PairsWithoutALabelAreLeftOut) {
  const auto tokenizer = open_tokenizer(training_.folder / "model");
  const SentenceModel model = model_to_read_for(*tokenizer, 64, 12, {.classifier = ClassifierActivation::none});
  const auto file = training_.write("some.jsonl", nli_line("-", "w1", "w2") + nli_line("neutral", "w3 w4", "w5"));
  const NliLabelsTask some("some", {.file = file}, model, {});
  EXPECT_EQ(some.pairs().report.pairs, 2u);
  EXPECT_EQ(some.sentences().sentences(), 2u);
  const auto none = training_.write("none.jsonl", "\n" + nli_line("-", "w1", "w2") + "\n" + nli_line("-", "w1", "w2"));
  EXPECT_TRUE(says(refusal_of([&] { NliLabelsTask("none", {.file = none}, model, {}); }),
                   concat(none.string(), ":2: the first of 2 pairs, none of which has a gold label")));
}

/// Liao's program divides by the longest sentence while it trains, and by a sentence's own tokens afterwards.
TEST_F(TrialTraining, ThePoolingDivisorIsOfTheTrainingAlone) {
  const auto trained = [&](const char* divisor) {
    return train(joined(classification(), {concat("training.pooling_divisor=", divisor), "training.dropout=0"}));
  };
  const TinyRun tokens = trained("tokens"), longest = trained("longest");
  EXPECT_NE(tokens.result.training.loss[0], longest.result.training.loss[0]);
  // Before the first step both measure the same model.
  EXPECT_EQ(tokens.result.curves[1].lines[1].values[0], longest.result.curves[1].lines[1].values[0]);
  EXPECT_EQ(tokens.result.curves[0].lines[3].values[0], longest.result.curves[0].lines[3].values[0]);
}

}  // namespace
}  // namespace gausscse
