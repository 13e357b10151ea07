#include "dist/communicator.hpp"
#include "evaluation/task_list.hpp"
#include "results/result_file.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/trial_training_fixture.hpp"
#include "training/trial_data.hpp"

// Tests of the weights that training.parameters: head changes and leaves; gradients are compared in
// frozen_encoder_mpi_test.cpp, whole trainings with PyTorch in train_trial_golden_test.cpp, resumed ones in
// stopped_training_test.cpp.

namespace gausscse {
namespace {

using Texts = std::vector<std::string>;

const Texts head_alone{"training.parameters=head", "training.learning_rate=0.01"};

class HeadAlone : public TrialTraining {
 protected:
  TinyRun train(const Texts& overrides) const { return TrialTraining::train(joined(head_alone, overrides)); }
};

TEST_F(HeadAlone, ChangesTheHeadAlone) {
  for (const Texts& keys : std::vector<Texts>{
           {}, {"recipe=paper", "model.head.mean=identity"}, {"recipe=simcse", "training.max_steps=4"}}) {
    const TinyRun run = train(joined(keys, keep_last));
    EXPECT_TRUE(run.told.warnings.empty()) << testing::PrintToString(run.told.warnings);
    const SavedModel saved = open_model(run.model, std::nullopt);
    SentenceEncoder backbone({.encoder = saved.encoder->settings().encoder});
    load_encoder_weights(training_.folder / "model", backbone);
    for (const ParameterSpec& spec : saved.encoder->parameters().specs()) {
      if (spec.name.starts_with("head.")) continue;
      EXPECT_TRUE(saved.encoder->parameters().value(spec.name).equal(backbone.parameters().value(spec.name)))
          << spec.name;
    }
    // One step of rate 0 leaves the head as it begins.
    const TinyRun initial =
        train(joined(joined(keys, keep_last), {"training.max_steps=1", "training.schedule=warmup_decay",
                                               "training.warmup_ratio=1", "training.weight_decay=0"}));
    EXPECT_GT(largest_difference(parameters_of(run.model, {"head."}), parameters_of(initial.model, {"head."})), 1e-3);
  }
}

/// The first loss is that of a training of all parameters, without dropout.
TEST_F(HeadAlone, ComputesTheLossOfTheWholeModel) {
  for (const char* precision : {"fp32", "bf16"}) {
    const Texts keys{concat("training.precision=", precision), "training.max_steps=2"};
    const TinyRun whole = TrialTraining::train(joined(keys, {"training.dropout=0"}));
    const TinyRun alone = train(keys);
    const double expected = whole.result.training.loss.front();
    EXPECT_NEAR(alone.result.training.loss.front(), expected, 1e-6 * expected) << precision;
    EXPECT_LT(alone.result.training.gradient_norm.front(), whole.result.training.gradient_norm.front());
  }
}

/// The saved model gives the metrics and scores that the training measured, in every precision.
TEST_F(HeadAlone, IsMeasuredAsItsSavedModel) {
  for (const char* precision : {"fp32", "bf16", "int8"}) {
    SCOPED_TRACE(precision);
    const Texts keys{concat("training.precision=", precision), "model.head.init=identity", "model.head.mean=linear",
                     "training.epochs=3"};
    const TinyRun run = train(joined(keys, keep_last));
    const auto alone = make_self_communicator();
    RecordingObserver told;
    const TrialData data = load_trial_data(training_.trial(joined(head_alone, keys)), 1, *alone, told);
    const SavedModel saved = open_model(run.model, std::nullopt);
    EXPECT_EQ(name_of(saved.encoder->settings().precision), precision);
    const std::vector<Measurement> measured = measure_tasks(
        data.tasks, [](const ListedTask&) { return true; }, *saved.encoder, *alone);
    const std::vector<Measurement>& of_training = find_state(run.result, "last")->tasks;
    ASSERT_EQ(measured.size(), of_training.size());
    const Measurement &given = measured.front(), &expected = of_training.front();
    ASSERT_EQ(given.metrics.size(), expected.metrics.size());
    for (std::size_t i = 0; i < given.metrics.size(); ++i)
      EXPECT_TRUE(given.metrics[i].value == expected.metrics[i].value ||
                  (std::isnan(given.metrics[i].value) && std::isnan(expected.metrics[i].value)))
          << given.metrics[i].name << ": " << given.metrics[i].value << ", " << expected.metrics[i].value;
    ASSERT_EQ(given.columns.size(), expected.columns.size());
    for (std::size_t i = 0; i < given.columns.size(); ++i)
      EXPECT_TRUE(given.columns[i].values == expected.columns[i].values) << given.columns[i].name;
  }
}

TEST_F(HeadAlone, ReadsTheVectorsOfItsPrecision) {
  std::vector<std::vector<double>> losses;
  for (const char* precision : {"fp32", "bf16", "int8"}) {
    const TinyRun run = train({concat("training.precision=", precision), "training.max_steps=3"});
    EXPECT_NE(run.result.configuration.find(concat("precision: ", precision)), std::string::npos);
    EXPECT_TOLD(run.told.notes, concat("sentences went through the encoder (", precision, ")"));
    for (const std::vector<double>& others : losses) {
      EXPECT_NE(others, run.result.training.loss);
      EXPECT_NEAR(others.front(), run.result.training.loss.front(), 0.05 * others.front());
    }
    losses.push_back(run.result.training.loss);
  }
}

/// Every distinct sentence of the training data, once.
TEST_F(HeadAlone, TellsHowManySentencesAreEmbedded) {
  const TinyRun run = train({"training.epochs=4"});
  const auto alone = make_self_communicator();
  RecordingObserver told;
  const TrialData data = load_trial_data(training_.trial(head_alone), 1, *alone, told);
  const std::size_t sentences = data.train->sentences();
  using Embedded = std::vector<std::pair<std::size_t, std::size_t>>;
  EXPECT_EQ(run.told.embedded, (Embedded{{0, sentences}, {sentences, sentences}}));
  EXPECT_TOLD(run.told.notes, "the head alone is trained: ");
  EXPECT_TRUE(TrialTraining::train({"training.max_steps=1"}).told.embedded.empty());
}

/// Micro-batches read the same vectors: their losses differ by rounding alone.
TEST_F(HeadAlone, MicroBatchesGiveTheSame) {
  const TinyRun whole = train({"training.epochs=2"}),
                micro_batches = train({"training.epochs=2", "training.micro_batch=2"});
  ASSERT_EQ(whole.result.training.loss.size(), micro_batches.result.training.loss.size());
  for (std::size_t i = 0; i < whole.result.training.loss.size(); ++i)
    EXPECT_NEAR(micro_batches.result.training.loss[i], whole.result.training.loss[i],
                1e-5 * whole.result.training.loss[i]);
}

}  // namespace
}  // namespace gausscse
