#include <csignal>

#include "base/file_lock.hpp"
#include "tests/launcher/disturbed_runs.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using Steps = std::vector<std::int64_t>;

const Overrides no_checkpoints = {"training.checkpoint_every=0", "training.checkpoint_minutes=0"};

using CheckpointRequests = TinyProjectTest;

/// The looks at the clock in the middle of a run are those of its steps.
TEST_F(CheckpointRequests, ASignalToStopLeavesACheckpointToGoOnFrom) {
  const long looks = calls_of_a_run(project_, no_checkpoints).at("clock");
  for (const auto& [signal, code] : {std::pair<int, int>{SIGTERM, 143},
                                     {SIGINT, 130},
                                     {SIGUSR2, 140},
                                     {SIGHUP, 129},
                                     {SIGXCPU, 152},
                                     {SIGPIPE, 141}}) {
    for (const long look : {looks * 2 / 5, looks / 2}) {
      const std::string output = concat("stopped", signal, "-", look);
      const ProgramRun run = train(project_, output, with_signal_at(signal, "clock", look), no_checkpoints);
      EXPECT_EQ(run.exit_code, code) << run.errors;
      const Steps there = checkpoints_of(folder_ / output);
      ASSERT_EQ(there.size(), 1u) << output << ": " << run.errors;
      EXPECT_TRUE(says(run.errors, concat("stopped after step ", there[0], " of 6")));
      EXPECT_EQ(expect_the_undisturbed_end(project_, output, {}, no_checkpoints), there[0]);
      ASSERT_FALSE(HasFailure()) << output;
    }
  }
}

/// Sentences of more than one block. A look at the clock comes before the first one is embedded.
TEST_F(CheckpointRequests, ASignalToStopEndsARunThatEmbedsSentences) {
  std::string triples = "sent0,sent1,hard_neg\n";
  for (int i = 0; i < 2500; ++i) triples += concat("a", i, ",b", i, ",c", i, "\n");
  const Overrides head = {"training.parameters=head", "training.max_steps=2",
                          "data.train=[\"" + file("many.csv", triples) + "\"]",
                          concat("data.cache=\"", path("cache"), "\"")};
  const std::string text = "sentences went through the encoder, before the training, after a signal";
  ProgramRun run;
  for (long look = 1; look < 100 && !says(run.errors, text); ++look)
    run = train(project_, "stopped", with_signal_at(SIGTERM, "clock", look), head);
  EXPECT_TRUE(says(run.errors, text)) << run.errors;
  EXPECT_EQ(run.exit_code, 143);
  EXPECT_FALSE(fs::exists(folder_ / "stopped/result.h5"));
  EXPECT_EQ(train(project_, "stopped", {}, head).exit_code, 0);
  EXPECT_TRUE(fs::exists(folder_ / "stopped/result.h5"));
}

/// The first resets the handling of the second, which ends the run as it would end any program.
TEST_F(CheckpointRequests, ASecondSignalToStopEndsTheRunAtOnce) {
  // The clock is looked at twice in a step, whose end answers the first.
  const long look = calls_of_a_run(project_, no_checkpoints).at("clock") * 2 / 5;
  for (const int signal : {SIGTERM, SIGINT}) {
    const std::string output = concat("ended-", signal);
    RunSettings settings = with_signal_at(SIGTERM, "clock", look);
    settings.signals.push_back({signal, "clock", look + 1});
    const ProgramRun run = train(project_, output, settings, no_checkpoints);
    EXPECT_EQ(run.exit_code, 128 + signal) << run.errors;
    EXPECT_EQ(run.signals_sent, 2u);
    EXPECT_EQ(run.errors.find("stopped after step"), std::string::npos) << run.errors;
    EXPECT_EQ(checkpoints_of(folder_ / output), Steps{});
  }
}

/// A batch system that has warned sends SIGTERM when the time is over: the run is stopping already.
TEST_F(CheckpointRequests, ASignalAfterAWarningWaitsForTheCheckpoint) {
  const long look = calls_of_a_run(project_, no_checkpoints).at("clock") * 2 / 5;
  RunSettings settings = with_signal_at(SIGUSR2, "clock", look);
  settings.signals.push_back({SIGTERM, "clock", look + 1});
  const ProgramRun run = train(project_, "warned", settings, no_checkpoints);
  EXPECT_EQ(run.exit_code, 128 + SIGTERM) << run.errors;
  EXPECT_EQ(run.signals_sent, 2u);
  const Steps there = checkpoints_of(folder_ / "warned");
  ASSERT_EQ(there.size(), 1u) << run.errors;
  EXPECT_TRUE(says(run.errors, concat("stopped after step ", there[0], " of 6")));
}

/// A shell repeats the hangup of its terminal, and the kernel SIGXCPU each second: neither is a second wish.
TEST_F(CheckpointRequests, ARepeatedHangupOrLimitWaitsForTheCheckpoint) {
  const long look = calls_of_a_run(project_, no_checkpoints).at("clock") * 2 / 5;
  for (const int signal : {SIGHUP, SIGXCPU}) {
    const std::string output = concat("repeated-", signal);
    RunSettings settings = with_signal_at(signal, "clock", look);
    settings.signals.push_back({signal, "clock", look + 1});
    const ProgramRun run = train(project_, output, settings, no_checkpoints);
    EXPECT_EQ(run.exit_code, 128 + signal) << run.errors;
    EXPECT_EQ(run.signals_sent, 2u);
    EXPECT_EQ(checkpoints_of(folder_ / output).size(), 1u) << run.errors;
  }
}

TEST_F(CheckpointRequests, AHangupUnderNohupIsNone) {
  RunSettings settings = with_signal_at(SIGHUP, "clock", calls_of_a_run(project_, no_checkpoints).at("clock") / 2);
  settings.before = {"nohup"};
  const ProgramRun run = train(project_, "kept", settings, no_checkpoints);
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.signals_sent, 1u);
  EXPECT_TRUE(fs::exists(folder_ / "kept" / "result.h5"));
}

/// The reader of the log is gone before the program starts: its first line is the first into a broken pipe, which ends
/// the run after a step. The lines after that are lost as well.
TEST_F(CheckpointRequests, ALogThatNobodyReadsLeavesACheckpoint) {
  ASSERT_EQ(train(project_, "whole", {}, no_checkpoints).exit_code, 0);
  const RunSettings settings{.before = {"bash", "-c", R"(exec 3> >(:); wait $!; exec "$@" 2>&3)", "bash"}};
  const ProgramRun run = train(project_, "unread", settings, no_checkpoints);
  EXPECT_EQ(run.exit_code, 128 + SIGPIPE);
  EXPECT_EQ(checkpoints_of(folder_ / "unread"), Steps{1});
  EXPECT_EQ(expect_the_undisturbed_end(project_, "unread", {}, no_checkpoints), 1);
}

/// Each rank has the signal for itself, and all of them end after the same step.
TEST_F(CheckpointRequests, ASignalToOneRankEndsAllWithACheckpoint) {
  for (const int signal : {SIGHUP, SIGXCPU, SIGPIPE}) {
    const std::string output = concat("ranks-", signal);
    RunSettings settings = with_signal(with_kill_of_rank(2, 1, 4), signal);
    const ProgramRun run = train(project_, output, settings, no_checkpoints);
    EXPECT_NE(run.exit_code, 0) << run.errors;
    EXPECT_EQ(run.signals_sent, 1u);
    const Steps there = checkpoints_of(folder_ / output);
    ASSERT_EQ(there.size(), 1u) << run.errors;
    EXPECT_TRUE(says(run.errors, concat("stopped after step ", there[0], " of 6")));
  }
}

/// A run that was asked for a checkpoint writes one more after the last step; it is killed while it writes that one.
TEST_F(CheckpointRequests, ASignalForACheckpointIsAnswered) {
  const std::map<std::string, long> calls = calls_of_a_run(project_, no_checkpoints);
  EXPECT_EQ(calls.at("checkpoint_rename"), 0);
  for (const long look : {calls.at("clock") * 2 / 5, calls.at("clock") / 2}) {
    const std::string output = concat("asked-", look);
    RunSettings settings = with_kill_at("checkpoint_rename", 2);
    settings.signals.push_back({SIGUSR1, "clock", look});
    const ProgramRun run = train(project_, output, settings, no_checkpoints);
    EXPECT_EQ(run.exit_code, 137) << run.errors;
    EXPECT_EQ(run.signals_sent, 2u);
    const Steps there = checkpoints_of(folder_ / output);
    ASSERT_EQ(there.size(), 1u) << run.errors;
    EXPECT_LT(there[0], 6);
    EXPECT_EQ(expect_the_undisturbed_end(project_, output, {}, no_checkpoints), there[0]);
  }
}

TEST_F(CheckpointRequests, ACheckpointIsWrittenWhenTheMinutesHavePassed) {
  ASSERT_EQ(train(project_, "whole", {}, no_checkpoints).exit_code, 0);
  const Overrides at_once = {"training.checkpoint_every=0", "training.checkpoint_minutes=1e-9"};
  EXPECT_TRUE(ended(train(project_, "killed", with_kill_at("checkpoint_rename", 3), at_once), 137));
  EXPECT_EQ(checkpoints_of(folder_ / "killed"), (Steps{1, 2}));
  EXPECT_EQ(expect_the_undisturbed_end(project_, "killed", {}, at_once), 2);
}

/// A checkpoint takes about four times the bytes of the model, and no other file as many as three times.
TEST_F(CheckpointRequests, ACheckpointThatCannotBeWrittenIsAWarning) {
  ASSERT_EQ(train(project_, "whole").exit_code, 0);
  const std::uint64_t largest_file = 3 * fs::file_size(project_.model() / "model.safetensors");
  const ProgramRun run = train(project_, "out", {.largest_file = largest_file});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  for (int step = 1; step <= 6; ++step)
    EXPECT_TRUE(says(run.errors, concat("warning: the checkpoint of step ", step, " is lost")));
  ASSERT_NO_FATAL_FAILURE(expect_same_result(folder_ / "whole", project_.output()));
  EXPECT_FALSE(fs::exists(project_.output() / "checkpoints"));
}

TEST_F(CheckpointRequests, ASecondRunIsKeptOutOfTheFolder) {
  fs::create_directories(project_.output());
  const FileLock lock(project_.output() / ".gausscse.lock");
  EXPECT_TRUE(ended(train(project_, "out"), 2, {"in use by another run"}));
}

}  // namespace
}  // namespace gausscse
