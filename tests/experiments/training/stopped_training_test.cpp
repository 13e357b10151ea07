#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/file.hpp"
#include "dist/communicator.hpp"
#include "experiments/training/train_trial.hpp"
#include "tests/experiments/training/tiny_training.hpp"

namespace gausscse {
namespace {

using testing_support::golden;
using testing_support::TinyTraining;

/// Asks to stop after some steps.
class StopAfter : public TrainingRequests {
 public:
  explicit StopAfter(int steps) : left_(steps) {}
  bool take_checkpoint() override { return false; }
  bool stop() override { return --left_ == 0; }

 private:
  int left_;
};

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
  };
  return all;
}

std::string bytes_of_model(const std::filesystem::path& output) {
  std::string bytes;
  for (const char* file : {"model.safetensors", "gausscse.safetensors"})
    bytes += read_whole_file(output / "model" / file, std::size_t{1} << 24);
  return bytes;
}

/// What was trained before a stop, moments, best state and parameters of the objective, is gone on from.
TEST(StoppedTraining, EndsWithTheSameModelForEachSystem) {
  const TinyTraining training;
  for (const System& system : systems()) {
    SCOPED_TRACE(system.name);
    std::vector<std::string> overrides = system.overrides;
    for (const char* more :
         {"training.batch_size=6", "training.max_steps=7", "training.learning_rate=0.01", "training.dropout=0.1",
          "training.checkpoint_every=0", "training.max_tokens=12", "training.precision=fp32", "tasks.dev.eval_every=2"})
      overrides.push_back(more);
    Trial trial = training.trial(overrides);
    const auto train = [&](int steps) {
      StopAfter requests(steps);
      testing_support::RecordingObserver told;
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

}  // namespace
}  // namespace gausscse
