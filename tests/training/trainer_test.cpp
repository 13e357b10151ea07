#include "training/trainer.hpp"

#include "model/objective/configured_objective.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/scripted_task.hpp"
#include "tests/training/triples_training.hpp"

namespace gausscse {
namespace {

constexpr std::int64_t steps = 6;

/// Keeps the weights at every measurement by dev as well.
class Recorder : public RecordingObserver {
 public:
  explicit Recorder(const SentenceEncoder& encoder) : encoder_(encoder) {}
  void on_measurement(std::int64_t, const Measurement& measurement, const Metric* selecting, bool best) override {
    if (measurement.task != "dev") {
      best_of_others = best_of_others || best || selecting;
      return;
    }
    weights.push_back(encoder_.parameters().values().clone());
    is_best.push_back(best);
    selecting_metrics.push_back(selecting ? selecting->value : -1);
  }

  std::vector<at::Tensor> weights;
  std::vector<bool> is_best;
  std::vector<double> selecting_metrics;
  bool best_of_others = false;  ///< true if a measurement by another task than dev was reported to select

 private:
  const SentenceEncoder& encoder_;
};

struct Periods {
  std::int64_t dev = 2, test = 0;
  bool keep_untrained = false;  ///< setting of dev
  std::int64_t keep_at = 0;     ///< setting of dev
};

/// One training of six steps of a tiny encoder, on all ranks, measured by `dev` and by `test`, whose threshold is
/// dev's.
class Training {
 public:
  Training(Communicator& communicator, std::vector<double> dev, const Trial::Select& select, Periods periods = {})
      : encoder_(encoder_of_bytes()), recorder_(encoder_) {
    auto test = std::make_unique<ScriptedTask>("test", std::vector<double>{0.5});
    auto of_dev = std::make_unique<ScriptedTask>("dev", std::move(dev));
    test_ = test.get();
    dev_ = of_dev.get();
    // The one that needs the other stands first.
    tasks_.push_back({.task = std::move(test), .eval_every = periods.test, .threshold_from = "dev"});
    tasks_.push_back({.task = std::move(of_dev),
                      .eval_every = periods.dev,
                      .development = true,
                      .keep_untrained = periods.keep_untrained,
                      .keep_at = periods.keep_at});
    const ConfiguredObjective objective({.loss = Loss::ent});
    Trial::Training six_steps = gausscse::six_steps();
    six_steps.learning_rate = 1e-2;
    six_steps.warmup_ratio = 0;
    train_on_triples(encoder_, objective, tasks_, communicator, recorder_, {.training = six_steps, .select = select},
                     false, result_);
  }

  const RunResult& result() const { return result_; }
  const Recorder& recorder() const { return recorder_; }
  const ScriptedTask& test() const { return *test_; }
  const ScriptedTask& dev() const { return *dev_; }
  at::Tensor weights() const { return encoder_.parameters().values(); }

 private:
  SentenceEncoder encoder_;
  Recorder recorder_;
  TaskList tasks_;
  const ScriptedTask *test_ = nullptr, *dev_ = nullptr;
  RunResult result_;
};

const Trial::Select by_auprc{"dev", "auprc"}, nothing{};

struct Case {
  std::vector<double> auprc;  ///< values of the evaluations after 0, 2, 4 and 6 steps, as rank 0 finds them
  std::size_t best;           ///< index of the best of them
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
    // The other ranks would find the opposite, as one on another processor might.
    std::vector<double> own = each.auprc;
    if (!ranks->is_root())
      for (double& auprc : own) auprc = 1 - auprc;
    const Training training(*ranks, own, by_auprc);
    const RunResult& result = training.result();
    ASSERT_EQ(result.states.size(), 2u);
    EXPECT_EQ(result.states[0].state, "best");
    EXPECT_EQ(result.states[0].step, 2 * static_cast<std::int64_t>(each.best)) << "on every rank";
    EXPECT_EQ(result.states[1].state, "last");
    EXPECT_EQ(result.states[1].step, steps);
    at::Tensor best = training.weights().clone();
    if (ranks->is_root()) {
      ASSERT_EQ(result.curves.size(), 1u);
      EXPECT_EQ(result.curves[0].task, "dev");
      EXPECT_EQ(result.curves[0].step, (std::vector<std::int64_t>{0, 2, 4, 6}));
      EXPECT_EQ(result.curves[0].lines.at(0).values, each.auprc);
      EXPECT_EQ(metric_of(result.states[1].tasks.at(1), "auprc"), each.auprc.back());
      EXPECT_EQ(result.states[1].tasks.at(0).task, "test") << "in the order of the list";
      const std::vector<at::Tensor>& weights = training.recorder().weights;
      ASSERT_EQ(weights.size(), 4u);
      EXPECT_FALSE(weights[1].equal(weights[2]));
      EXPECT_TRUE(training.weights().equal(weights[each.best]));
      EXPECT_EQ(training.recorder().selecting_metrics, each.auprc);
    }
    ranks->broadcast(best, 0);
    EXPECT_TRUE(training.weights().equal(best));
    // Of the last state first, then of the best where it is another.
    EXPECT_EQ(training.test().measured, each.best == 3 ? 1u : 2u);
    EXPECT_EQ(training.dev().measured, each.best == 3 ? 4u : 5u);
    const std::vector<std::string>& warnings = training.recorder().warnings;
    const bool warned = warnings.size() == 1 && warnings[0].starts_with("the best state is the untrained one");
    EXPECT_EQ(warned, each.best == 0);
  }
}

TEST(Trainer, EndsEarlyWithoutPatienceLeft) {
  const auto ranks = make_mpi_communicator();
  const Training full(*ranks, {0.5}, by_auprc);
  // Measured after 0, 2, 4 and 6 steps.
  for (const auto& [patience, auprc, best, last] : {std::tuple(2, std::vector<double>{0.5, 0.4, 0.3, 0.9}, 0, 4),
                                                    {2, {0.5, 0.6, 0.3, 0.9}, 6, 6},
                                                    {3, {0.5, 0.4, 0.3, 0.9}, 6, 6},
                                                    {1, {0.5, 0.6, 0.3, 0.9}, 2, 4},
                                                    {1, {0.5, 0.4, 0.6, 0.9}, 0, 2},
                                                    {0, {0.5, 0.4, 0.3, 0.9}, 6, 6}}) {
    std::vector<double> own = auprc;
    if (!ranks->is_root())
      for (double& each : own) each = 1 - each;  // as on another processor
    const Training training(*ranks, own, {"dev", "auprc", patience});
    const RunResult& result = training.result();
    EXPECT_EQ(result.states.at(0).step, best) << patience;
    EXPECT_EQ(result.states.at(1).step, last) << patience;
    if (!ranks->is_root()) continue;
    std::vector<std::int64_t> measured;
    for (std::int64_t step = 0; step <= last; step += 2) measured.push_back(step);
    EXPECT_EQ(result.curves.at(0).step, measured) << patience;
    EXPECT_EQ(result.training.loss.size(), static_cast<std::size_t>(last));
    EXPECT_EQ(result.ended_early, last == steps
                                      ? ""
                                      : concat("after step ", last, " of 6: auprc of dev was highest after step ", best,
                                               " (select.patience: ", patience, ")"));
    for (std::size_t i = 0; i < measured.size(); ++i)
      EXPECT_TRUE(training.recorder().weights.at(i).equal(full.recorder().weights.at(i))) << patience << ", " << i;
    EXPECT_TRUE(training.weights().equal(full.recorder().weights.at(static_cast<std::size_t>(best) / 2))) << patience;
  }
}

TEST(Trainer, ChoosesNoStateBeforeTheFirstThatMayBe) {
  const auto ranks = make_mpi_communicator();
  for (const auto& [from_step, best] : {std::pair(0, 0), {1, 4}, {4, 4}, {5, 6}})
    EXPECT_EQ(Training(*ranks, {0.9, 0.4, 0.5, 0.3}, {"dev", "auprc", 0, from_step}).result().states.at(0).step, best)
        << from_step;
  EXPECT_TRUE(says(refusal_of([&] {
                     Training(*ranks, {0.9}, {"dev", "auprc", 0, 7});
                   }),
                   "select.from_step is 7, but the training has 6 steps"));
}

TEST(Trainer, WithoutSelectionKeepsTheLastState) {
  const auto ranks = make_mpi_communicator();
  const Training training(*ranks, {0.9, 0.5, 0.4, 0.3}, nothing);
  ASSERT_EQ(training.result().states.size(), 1u);
  EXPECT_EQ(training.result().states[0].state, "last");
  EXPECT_EQ(training.result().states[0].step, steps);
  EXPECT_TRUE(training.recorder().warnings.empty());
  if (ranks->is_root()) {
    EXPECT_TRUE(training.weights().equal(training.recorder().weights.back()));
    EXPECT_EQ(training.recorder().selecting_metrics, (std::vector<double>{-1, -1, -1, -1}));
  }
}

/// The metric of dev at step 3 does not count, where only the other task is due, for that one's threshold.
TEST(Trainer, LooksForTheBestStateWhereItsTaskIsDue) {
  const auto ranks = make_mpi_communicator();
  const Training training(*ranks, {0.1, 0.9, 0.3, 0.2}, by_auprc, {.dev = 4, .test = 3});
  EXPECT_EQ(training.result().states.at(0).step, 4);
  EXPECT_FALSE(training.recorder().best_of_others);
  if (!ranks->is_root()) return;
  EXPECT_EQ(training.recorder().selecting_metrics, (std::vector<double>{0.1, 0.3, 0.2}));
  EXPECT_EQ(training.recorder().is_best, (std::vector<bool>{true, true, false}));
}

/// Tasks have their own periods; one that takes its threshold from another is measured behind it, on the same state.
TEST(Trainer, MeasuresWhatATaskTakesItsThresholdFromFirst) {
  const auto ranks = make_mpi_communicator();
  const Training training(*ranks, {0.5}, nothing, {.dev = 4, .test = 3});
  EXPECT_EQ(training.test().measured, 3u);
  EXPECT_EQ(training.dev().measured, 4u) << "after 0, 3, 4 and 6 steps";
  if (!ranks->is_root()) return;
  EXPECT_EQ(training.test().seen, (std::vector<double>{0, 1, 3}));
  ASSERT_EQ(training.result().curves.size(), 2u);
  EXPECT_EQ(training.result().curves[0].task, "test");
  EXPECT_EQ(training.result().curves[0].step, (std::vector<std::int64_t>{0, 3, 6}));
  EXPECT_EQ(training.result().curves[1].step, (std::vector<std::int64_t>{0, 4, 6}))
      << "what was measured for another's sake is no point of its curve";
}

/// Behind the others, with the measurements before the first step by the task that keeps them; on rank 0 alone.
TEST(Trainer, KeepsWhatWasMeasuredOfTheUntrainedState) {
  const auto ranks = make_mpi_communicator();
  for (const bool selects : {false, true}) {
    const Training training(*ranks, {0.3, 0.5, 0.5, 0.4}, selects ? by_auprc : nothing,
                            {.dev = 2, .test = 2, .keep_untrained = true});
    const std::vector<StateResult>& states = training.result().states;
    const std::size_t others = selects ? 2 : 1;
    EXPECT_EQ(states.at(0).state, selects ? "best" : "last");
    ASSERT_EQ(states.size(), others + (ranks->is_root() ? 1 : 0));
    if (!ranks->is_root()) continue;
    EXPECT_EQ(states[others].state, "untrained");
    EXPECT_EQ(states[others].step, 0);
    ASSERT_EQ(states[others].tasks.size(), 1u);
    EXPECT_EQ(states[others].tasks[0].task, "dev");
    EXPECT_EQ(metric_of(states[others].tasks[0], "auprc"), 0.3);
    EXPECT_EQ(metric_of(states[others].tasks[0], "number"), 0);
  }
  const Training only_at_the_end(*ranks, {0.5}, nothing, {.dev = 0, .keep_untrained = true});
  EXPECT_EQ(only_at_the_end.result().states.size(), 1u);
}

/// Behind the untrained one; its measurements are made anyway.
TEST(Trainer, KeepsWhatWasMeasuredAfterAStep) {
  const auto ranks = make_mpi_communicator();
  const Training training(*ranks, {0.3, 0.5, 0.6, 0.4}, nothing,
                          {.dev = 2, .test = 2, .keep_untrained = true, .keep_at = 4});
  const std::vector<StateResult>& states = training.result().states;
  ASSERT_EQ(states.size(), ranks->is_root() ? 3u : 1u);
  if (!ranks->is_root()) return;
  EXPECT_EQ(states[1].state, "untrained");
  EXPECT_EQ(states[2].state, "step_4");
  EXPECT_EQ(states[2].step, 4);
  ASSERT_EQ(states[2].tasks.size(), 1u);
  EXPECT_EQ(states[2].tasks[0].task, "dev");
  EXPECT_EQ(metric_of(states[2].tasks[0], "auprc"), 0.6);
}

TEST(Trainer, AFailureOfTheScoringIsToldOnAllRanks) {
  const auto ranks = make_mpi_communicator();
  EXPECT_EQ(refusal_of([&] { Training(*ranks, {}, by_auprc); }), "these figures cannot be computed");
  EXPECT_TRUE(says(refusal_of([&] { Training(*ranks, {0.5}, {"dev", "recall"}); }), "has no metric \"recall\""));
  EXPECT_TRUE(
      says(refusal_of([&] { Training(*ranks, {std::nan("")}, by_auprc); }), "is not a number: select by another"));
}

}  // namespace
}  // namespace gausscse
