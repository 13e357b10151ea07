#include "dist/communicator.hpp"
#include "tests/support/pretended_gpu/memory.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/tiny_training.hpp"
#include "training/train_trial.hpp"

namespace gausscse {
namespace {

/// Trainings whose tasks are measured at every step.
class PretendedGpuTasks : public testing::Test {
 protected:
  PretendedGpuTasks() {
    std::string lines;
    for (int i = 0; i < 12; ++i) lines += concat("g\tf\ty\t1\t", i % 5, "\tw", i, " w1\tw2 w", 3 * i % 20, "\n");
    const std::string dev = golden("training/dev.jsonl").string();
    nli_ = {"tasks.dev.eval_every=1"};
    sts_ = joined(nli_, {concat("tasks.scored={kind: sts, files: [\"", training_.write("scored.csv", lines).string(),
                                "\"], eval_every: 1}")});
    labels_ = {"recipe=liao",
               "data.train=[" + golden("training/premises.jsonl").string() + "]",
               "select.task=\"\"",
               "select.figure=\"\"",
               "objective.kind=pair_classification",
               "tasks.dev.eval_every=0",
               "tasks.labels={kind: nli_labels, files: \"" + dev + "\", eval_every: 1}"};
  }

  RunResult train(const std::vector<std::string>& overrides, std::int64_t steps, at::Device device) {
    Trial trial = training_.trial(
        joined({"training.batch_size=6", "training.learning_rate=0.01", "training.dropout=0.1",
                "training.max_tokens=12", "training.checkpoint_minutes=0", concat("training.max_steps=", steps)},
               overrides));
    trial.output = training_.folder / concat("run", runs_++);
    TrainOptions options;
    options.device = device;
    RecordingObserver observer;
    NoRequests nothing;
    return train_trial(trial, options, *make_self_communicator(), observer, nothing);
  }

  const TinyTraining training_;
  std::vector<std::string> nli_, sts_, labels_;  ///< overrides of a trial with these tasks
  int runs_ = 0;
};

TEST_F(PretendedGpuTasks, MeasureAsOnCpus) {
  for (const std::vector<std::string>& tasks : {nli_, sts_, labels_}) {
    const RunResult here = train(tasks, 2, at::Device(at::kCUDA, 0)), there = train(tasks, 2, at::kCPU);
    ASSERT_EQ(here.curves.size(), there.curves.size());
    for (std::size_t s = 0; s < there.states.size(); ++s) {
      ASSERT_EQ(here.states.at(s).tasks.size(), there.states[s].tasks.size());
      for (std::size_t t = 0; t < there.states[s].tasks.size(); ++t) {
        const Measurement &found = here.states[s].tasks[t], &expected = there.states[s].tasks[t];
        ASSERT_EQ(found.metrics.size(), expected.metrics.size());
        for (std::size_t f = 0; f < expected.metrics.size(); ++f) {
          const double value = found.metrics[f].value, wanted = expected.metrics[f].value;
          EXPECT_TRUE(std::isnan(wanted) ? std::isnan(value)
                                         : std::abs(value - wanted) <= 1e-3 * (1 + std::abs(wanted)))
              << expected.task << ": " << expected.metrics[f].name << " is " << value << " instead of " << wanted;
        }
      }
    }
  }
}

/// An evaluation copies only the order of the sentences, and for each kind of score the numbers of the pairs.
TEST_F(PretendedGpuTasks, TokensAreCopiedToTheGpuOnce) {
  struct Case {
    const char* name;
    const std::vector<std::string>& tasks;
    std::int64_t of_step, of_evaluation;
  };
  for (const Case& of : {Case{"nli", nli_, 1, 2}, Case{"sts", sts_, 1, 2 + 3}, Case{"labels", labels_, 3, 2}}) {
    SCOPED_TRACE(of.name);
    const auto copies = [&](std::int64_t steps) {
      const auto before = pretended_gpu::counts().copies_to_gpu;
      train(of.tasks, steps, at::Device(at::kCUDA, 0));
      return pretended_gpu::counts().copies_to_gpu - before;
    };
    EXPECT_EQ(copies(5) - copies(2), 3 * (of.of_step + of.of_evaluation));
  }
}

}  // namespace
}  // namespace gausscse
