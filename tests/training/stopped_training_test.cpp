#include "dist/communicator.hpp"
#include "results/result_file.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/tiny_training.hpp"
#include "training/train_trial.hpp"

namespace gausscse {
namespace {

struct System {
  const char* name;
  std::vector<std::string> overrides;
};

const std::vector<System>& systems() {
  static const std::vector<System> all{
      {"released", {"recipe=released"}},
      {"paper", {"recipe=paper", "reproducibility=rank_invariant"}},
      {"with SimCSE", {"objective.loss=ent+rev", "objective.with_simcse=true"}},
      {"SimCSE", {"recipe=simcse"}},
      {"pairs", {"recipe=contrastive_pairs", "training.micro_batch=2"}},
      {"dynamics", {"recipe=dynamics", "data.order=file"}},
      {"classification",
       {"recipe=dynamics", "objective.kind=pair_classification", "data.examples=labelled_pairs",
        "data.train=[" + golden("training/pairs.jsonl").string() + "]", "reproducibility=rank_invariant"}},
      {"Liao",
       {"recipe=liao", "data.train=[" + golden("training/premises.jsonl").string() + "]", "objective.kind=sum",
        "objective.terms.a={kind: pair_classification, weight: 0.5}",
        "objective.terms.b={kind: supervised_contrastive, weight: 0.5, positives: 2, negatives: 2}"}},
      {"Liao augmented",
       {"recipe=liao", "data.train=[" + golden("training/premises.jsonl").string() + "]",
        "objective.kind=augmented_classification", "objective.positives=2", "objective.negatives=2",
        "reproducibility=rank_invariant"}},
      {"the last layer, and another rate for the head",
       {"training.parameters={from_layer: 1}", "training.head_learning_rate=0.002", "training.clip_norm=1"}},
      {"the last layer and the classifier, on virtual shards",
       {"recipe=liao", "data.train=[" + golden("training/premises.jsonl").string() + "]",
        "objective.kind=pair_classification", "training.parameters={from_layer: 1}",
        "training.head_learning_rate=0.002", "reproducibility=rank_invariant"}},
      {"a head alone, from the data",
       {"recipe=paper", "training.parameters=head", "model.head.mean=identity", "model.head.scale=unit"}},
      {"a head alone in int8",
       {"training.parameters=head", "model.head.log_var=mlp", "model.head.log_var_width=9", "training.precision=int8",
        "reproducibility=rank_invariant"}},
  };
  return all;
}

std::string bytes_of_model(const std::filesystem::path& output) {
  std::string bytes;
  for (const char* file : {"model.safetensors", "gausscse.safetensors"})
    bytes += read_whole_file(output / "model" / file, std::size_t{1} << 24);
  return bytes;
}

/// The training goes on from the moments, the best state and the parameters of the objective before the stop.
TEST(StoppedTraining, EndsWithTheSameModelForEachSystem) {
  const TinyTraining training;
  for (const System& system : systems()) {
    SCOPED_TRACE(system.name);
    std::vector<std::string> overrides{"training.batch_size=6",       "training.max_steps=7",
                                       "training.learning_rate=0.01", "training.checkpoint_every=0",
                                       "training.max_tokens=12",      "tasks.dev.eval_every=2"};
    // A head alone is trained without.
    if (!std::string_view(system.name).starts_with("a head alone")) overrides.push_back("training.dropout=0.1");
    overrides.insert(overrides.end(), system.overrides.begin(), system.overrides.end());
    Trial trial = training.trial(overrides);
    const auto train = [&](int steps) {
      StopAfter requests(steps);
      RecordingObserver told;
      return train_trial(trial, {}, *make_self_communicator(), told, requests);
    };
    trial.output = training.folder / (std::string("whole ") + system.name);
    train(100);
    const std::string expected = bytes_of_model(trial.output);
    trial.output = training.folder / (std::string("stopped ") + system.name);
    EXPECT_THROW(train(3), TrainingStopped);
    EXPECT_THROW(train(2), TrainingStopped);
    const RunResult result = train(100);
    EXPECT_EQ(result.training.step.size(), 7u);
    EXPECT_TRUE(bytes_of_model(trial.output) == expected);
  }
}

/// A stop within a step gives the step up, also the first one. Measurements before it are done once more.
TEST(StoppedTraining, EndsWithTheSameResultAfterStopsWithinSteps) {
  const TinyTraining training;
  Trial trial = training.trial({"training.batch_size=6", "training.max_steps=5", "training.learning_rate=0.01",
                                "training.checkpoint_every=0", "training.max_tokens=12", "training.micro_batch=1",
                                "training.dropout=0.1", "tasks.dev.eval_every=2"});
  const auto train = [&](int questions) {
    StopAfter requests(questions);
    RecordingObserver told;
    return train_trial(trial, {}, *make_self_communicator(), told, requests);
  };
  trial.output = training.folder / "whole";
  const RunResult whole = train(1000);
  const std::string expected = bytes_of_model(trial.output);
  trial.output = training.folder / "stopped";
  // Six micro-batches are asked for forwards and backwards, and each step at its end: 13 questions a step.
  const auto expect_stop = [&](int questions, const std::string& words) {
    try {
      train(questions);
      FAIL() << "it is not asked to stop";
    } catch (const TrainingStopped& stopped) {
      EXPECT_EQ(std::string(stopped.what()).find("stopped after step " + words + " of 5"), 0U) << stopped.what();
    }
  };
  expect_stop(1, "0");
  expect_stop(12, "0");
  expect_stop(13 + 6, "1");
  expect_stop(13 + 7, "2");
  expect_stop(3, "2");
  expect_stop(13, "3");
  const RunResult result = train(1000);
  EXPECT_EQ(result.training.step, whole.training.step);
  EXPECT_EQ(result.training.loss, whole.training.loss);
  ASSERT_EQ(result.curves.size(), whole.curves.size());
  for (std::size_t i = 0; i < whole.curves.size(); ++i) {
    EXPECT_EQ(result.curves[i].task, whole.curves[i].task);
    EXPECT_EQ(result.curves[i].step, whole.curves[i].step);
    ASSERT_EQ(result.curves[i].lines.size(), whole.curves[i].lines.size());
    for (std::size_t line = 0; line < whole.curves[i].lines.size(); ++line)
      EXPECT_EQ(testing::PrintToString(result.curves[i].lines[line].values),
                testing::PrintToString(whole.curves[i].lines[line].values))
          << whole.curves[i].lines[line].metric;
  }
  ASSERT_EQ(result.states.size(), whole.states.size());
  for (std::size_t i = 0; i < whole.states.size(); ++i) {
    EXPECT_EQ(result.states[i].state, whole.states[i].state);
    EXPECT_EQ(result.states[i].step, whole.states[i].step);
  }
  EXPECT_TRUE(bytes_of_model(trial.output) == expected);
}

/// The measurement before the first step is in the checkpoint, and in the result of the run that goes on from it.
TEST(StoppedTraining, KeepsTheMeasurementOfTheUntrainedState) {
  const TinyTraining training;
  std::string text;
  for (int i = 0; i < 12; ++i) text += concat("w", i % 5, " w", i % 3, " w", i % 7, "\n");
  const std::filesystem::path sentences = training.write("sentences.txt", text);
  Trial trial = training.trial({"recipe=dynamics", "training.batch_size=6", "training.max_steps=4",
                                "training.learning_rate=0.01", "training.checkpoint_every=0", "training.precision=fp32",
                                concat("tasks.tokens={kind: geometry, files: \"", sentences.string(),
                                       "\", samples: 5, draws: 0, eval_every: 2, vectors: true, vectors_at: 2}")});
  const auto train = [&](int steps) {
    StopAfter requests(steps);
    RecordingObserver told;
    return train_trial(trial, {}, *make_self_communicator(), told, requests);
  };
  trial.output = training.folder / "whole";
  const RunResult whole = train(100);
  trial.output = training.folder / "stopped";
  EXPECT_THROW(train(2), TrainingStopped);
  EXPECT_THROW(train(1), TrainingStopped);
  const RunResult stopped = train(100);

  const StateResult& untrained = *find_state(whole, "untrained");
  ASSERT_EQ(untrained.tasks.size(), 1u) << "that of dev is not kept";
  const Measurement &before = untrained.tasks[0], &after = *find_measurement(kept_state(whole).tasks, "tokens");
  EXPECT_EQ(before.task, "tokens");
  const Curve* curve = nullptr;
  for (const Curve& each : whole.curves)
    if (each.task == "tokens") curve = &each;
  ASSERT_TRUE(curve);
  EXPECT_EQ(curve->step, (std::vector<std::int64_t>{0, 2, 4}));
  for (std::size_t i = 0; i < curve->lines.size(); ++i) {
    EXPECT_EQ(before.metrics.at(i).name, curve->lines[i].metric);
    EXPECT_EQ(before.metrics[i].value, curve->lines[i].values.front());
    EXPECT_EQ(after.metrics.at(i).value, curve->lines[i].values.back());
  }
  const auto* vectors = find_column<VectorRows>(before, "sentence_vector");
  ASSERT_TRUE(vectors);
  EXPECT_EQ(vectors->values.size(), 12 * static_cast<std::size_t>(vectors->width));
  EXPECT_NE(vectors->values, find_column<VectorRows>(after, "sentence_vector")->values);

  const Measurement& between = find_state(whole, "step_2")->tasks.at(0);
  EXPECT_EQ(find_state(whole, "step_2")->step, 2);
  for (std::size_t i = 0; i < curve->lines.size(); ++i)
    EXPECT_EQ(between.metrics.at(i).value, curve->lines[i].values.at(1));
  EXPECT_NE(vectors->values, find_column<VectorRows>(between, "sentence_vector")->values);

  for (const char* name : {"untrained", "step_2"}) {
    const Measurement &of_whole = find_state(whole, name)->tasks.at(0),
                      &of_stopped = find_state(stopped, name)->tasks.at(0);
    ASSERT_EQ(of_stopped.metrics.size(), of_whole.metrics.size());
    for (std::size_t i = 0; i < of_whole.metrics.size(); ++i)
      EXPECT_EQ(of_stopped.metrics[i].value, of_whole.metrics[i].value);
    ASSERT_EQ(of_stopped.columns.size(), of_whole.columns.size());
    for (std::size_t i = 0; i < of_whole.columns.size(); ++i)
      EXPECT_EQ(of_stopped.columns[i].values, of_whole.columns[i].values) << of_whole.columns[i].name;
  }

  // Stops within the first step and the third, before which these states were measured: each is there once.
  trial.output = training.folder / "cut";
  trial.training.micro_batch = 1;
  EXPECT_THROW(train(1), TrainingStopped);
  EXPECT_THROW(train(2 * 13 + 1), TrainingStopped);
  const RunResult cut = train(1000);
  const auto names_of = [](const RunResult& result) {
    std::vector<std::string> names;
    for (const StateResult& state : result.states) names.push_back(state.state);
    return names;
  };
  EXPECT_EQ(names_of(cut), names_of(whole));
  ASSERT_EQ(cut.curves.size(), whole.curves.size());
  for (std::size_t i = 0; i < whole.curves.size(); ++i) EXPECT_EQ(cut.curves[i].step, whole.curves[i].step);
}

}  // namespace
}  // namespace gausscse
