#include <chrono>

#include "model/objective/configured_objective.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/triples_training.hpp"

namespace gausscse {
namespace {

using namespace std::chrono_literals;

/// A clock that a quarter of a second passes on whenever it is looked at, and half a minute after each step.
class StepClock : public RecordingObserver {
 public:
  StepReports::Now now() {
    return [this] { return time_ += 250ms; };
  }
  void on_step(const StepReport& report) override {
    RecordingObserver::on_step(report);
    time_ += 30s;
  }

 private:
  StepReports::Clock::time_point time_;
};

/// Trains six steps on all ranks by such a clock.
class TimedTraining {
 public:
  TimedTraining(Communicator& communicator, double checkpoint_minutes) {
    SentenceEncoder encoder(encoder_of_bytes());
    const ConfiguredObjective objective({.loss = Loss::ent});
    Trial::Training training = six_steps();
    training.checkpoint_every = 0;
    training.checkpoint_minutes = checkpoint_minutes;
    train_on_triples(encoder, objective, {}, communicator, clock, {.training = training, .now = clock.now()}, true,
                     result);
  }

  StepClock clock;
  RunResult result;
};

TEST(TrainerClock, ExamplesAndTokensOfAllRanksAreToldBySecond) {
  const auto ranks = make_mpi_communicator();
  const TimedTraining training(*ranks, 0);
  ASSERT_EQ(training.clock.steps.size(), 6u);
  const TrainingSeries& series = training.result.training;
  double tokens = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    // The trainer looks at it where a step begins and where it is reported.
    const StepReport& report = training.clock.steps[i];
    EXPECT_EQ(report.seconds, 0.25) << i;
    EXPECT_EQ(report.examples_per_second, 8 / 0.25) << i;
    EXPECT_EQ(series.examples_per_second.at(i), report.examples_per_second) << i;
    EXPECT_EQ(series.tokens_per_second.at(i), report.tokens_per_second) << i;
    tokens += report.tokens_per_second * 0.25;
  }
  // The loss of entailments reads premises and hypotheses: each has two special tokens, and a token a byte.
  double expected = 0;
  for (int i = 0; i < 24; ++i)
    for (const char* words : {"premise ", "entailed "}) expected += static_cast<double>(concat(words, i).size()) + 2;
  EXPECT_EQ(tokens, 2 * expected);
}

TEST(TrainerClock, MicroBatchesOfAStepAreToldOnce) {
  const auto ranks = make_mpi_communicator();
  std::vector<std::string> told;
  for (const std::string& detail : TimedTraining(*ranks, 0).clock.details)
    if (detail.starts_with("a step embeds ")) told.push_back(detail);
  const int share = 8 / ranks->size() + (ranks->rank() < 8 % ranks->size() ? 1 : 0);
  EXPECT_EQ(told, std::vector<std::string>{concat("a step embeds this rank's local batch of ", share,
                                                  " examples in 1 micro-batches of at most ", share)});
}

TEST(TrainerClock, CheckpointsFollowTheMinutesSinceTheLast) {
  const auto ranks = make_mpi_communicator();
  const auto written = [&](double minutes) {
    std::vector<std::string> checkpoints;
    for (const std::string& detail : TimedTraining(*ranks, minutes).clock.details)
      if (detail.starts_with("checkpoint after step ")) checkpoints.push_back(detail.substr(22));
    return checkpoints;
  };
  using Steps = std::vector<std::string>;
  const auto on_root = [&](const Steps& steps) { return ranks->is_root() ? steps : Steps{}; };
  // After the last step, too, where there was one before.
  EXPECT_EQ(written(1), on_root({"2", "4", "6"}));
  EXPECT_EQ(written(1.5), on_root({"3", "6"}));
  EXPECT_EQ(written(0.5), on_root({"1", "2", "3", "4", "5", "6"}));
  EXPECT_EQ(written(2), on_root({"4", "6"}));
  EXPECT_EQ(written(4), on_root({}));
}

}  // namespace
}  // namespace gausscse
