#include <csignal>
#include <nlohmann/json.hpp>

#include "base/content_hash.hpp"
#include "results/result_file.hpp"
#include "tests/launcher/disturbed_runs.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

// `gausscse train --continue RUN`, as its users call it. tests/training/continued_run_test.cpp has its rules.

namespace gausscse {
namespace {

namespace fs = std::filesystem;
const Overrides at_constant_rate = {"training.schedule=warmup_constant", "training.warmup_ratio=0",
                                    "training.checkpoint_every=1", "training.keep_checkpoint=true"};

class Continue : public TinyProjectTest {
 protected:
  static Overrides steps(int count) { return with(at_constant_rate, {concat("training.max_steps=", count)}); }
  /// Returns the command that continues a run, without its trial file.
  std::vector<std::string> command(const std::string& earlier, const std::string& output,
                                   const Overrides& overrides = {}) const {
    std::vector<std::string> arguments{"train", "--continue", path(earlier), "--threads", "1"};
    for (const std::string& each : with({"output=" + path(output)}, overrides))
      arguments = with(arguments, {"--set", each});
    return arguments;
  }
  static void expect_same_checkpointed_run(const fs::path& one, const fs::path& other) {
    expect_same_result(one, other);
    EXPECT_EQ(checkpoints_of(other), checkpoints_of(one));
  }
};

/// A run of 9 steps in one go is one of 5 steps that was continued to 9, killed there after two, and started again.
TEST_F(Continue, EndsWithTheBitsOfARunInOneGo) {
  for (const int ranks : {0, 2}) {
    const std::string whole = concat("whole", ranks), first = concat("first", ranks), second = concat("second", ranks);
    const RunSettings settings{.ranks = ranks};
    ASSERT_EQ(train(project_, whole, settings, steps(9)).exit_code, 0);
    ASSERT_EQ(train(project_, first, settings, steps(5)).exit_code, 0);
    const std::string checkpoint = content_hash(checkpoint_of(project_.output(first), 5));
    const std::vector<std::string> go_on = command(first, second, {"training.max_steps=9"});
    const ProgramRun killed = run_program(
        go_on, {.ranks = ranks, .signals = {{SIGKILL, "checkpoint_rename", 3}}, .signalled_rank = ranks > 0 ? 0 : -1});
    EXPECT_NE(killed.exit_code, 0) << killed.errors;
    EXPECT_TRUE(says(killed.errors, concat("going on after step 5 of 9, from the checkpoint in ", path(first))));
    run_expecting(0, go_on, {concat("going on after step 7 of 9, from the checkpoint in ", path(second))}, settings);
    expect_same_checkpointed_run(project_.output(whole), project_.output(second));
    EXPECT_EQ(content_hash(checkpoint_of(project_.output(first), 5)), checkpoint);

    const std::string result = path(second + "/result.h5");
    const ProgramRun shown = run_program({"show", result, "--json", "-"});
    const nlohmann::json continued = nlohmann::json::parse(shown.output).at("provenance").at("continued");
    EXPECT_EQ(continued.at("folder"), path(first));
    EXPECT_EQ(continued.at("checkpoint"), checkpoint);
    EXPECT_EQ(continued.at("step"), 5);
    EXPECT_EQ(continued.at("changes"), nlohmann::json{"training.max_steps: 5, now 9"});
    const std::string text = run_program({"show", result}).output;
    EXPECT_TRUE(says(text, concat(" of ", path(first), " after step 5, from the checkpoint ", checkpoint, "\n")));
    EXPECT_TRUE(says(text, "\n    training.max_steps: 5, now 9\n"));
  }
}

/// A run that was killed is continued like one that ended; a trial's file may be given in place of its own.
TEST_F(Continue, AKilledRunWithItsFile) {
  const Overrides decaying = {"training.max_steps=6", "training.checkpoint_every=1"};
  ASSERT_EQ(train(project_, "whole", {}, decaying).exit_code, 0);
  ASSERT_EQ(train(project_, "first", with_kill_at("checkpoint_rename", 3), decaying).exit_code, 137);
  ASSERT_EQ(checkpoints_of(project_.output("first")), (std::vector<std::int64_t>{1, 2}));
  const std::vector<std::string> from_file =
      with(train_arguments(project_, "second", decaying), {"--continue", path("first")});
  run_expecting(0, from_file, {"going on after step 2 of 6, from the checkpoint in " + path("first")});
  expect_same_result(project_.output("whole"), project_.output("second"));
}

/// All ranks count the patience again, else one would wait for the others.
TEST_F(Continue, TrainsOnAfterAnEarlyEnd) {
  const Overrides still =
      with(steps(12), {"training.learning_rate=1e-300", "tasks.dev.eval_every=2", "select.patience=1"});
  const RunSettings two_ranks{.ranks = 2};
  ASSERT_EQ(train(project_, "first", two_ranks, still).exit_code, 0);
  run_expecting(0, command("first", "second"),
                {"going on after step 2 of 12", "the training ends early after step 4 of 12"}, two_ranks);
  EXPECT_EQ(read_result(project_.output("second") / "result.h5").states.at(1).step, 4);
}

TEST_F(Continue, IsRefusedWithCodeTwo) {
  ASSERT_EQ(train(project_, "first", {}, steps(2)).exit_code, 0);
  for (const int ranks : {0, 2})
    run_expecting(2, command("first", "second", {"training.seed=3"}),
                  {"may not change training.seed: ", "these keys may change: "}, ranks);
  run_expecting(2, {"train", "--continue", path("first")},
                {"lies in the folder of the run that is continued", "--set output=FOLDER"});
  run_expecting(2, command("nowhere", "second"), {"there is no such folder"});
  EXPECT_TRUE(says(run_program(with(command("first", "second", {"training.max_steps=7"}), {"--print-config"})).output,
                   "\n  max_steps: 7\n"));
  EXPECT_FALSE(fs::exists(project_.output("second")));
}

}  // namespace
}  // namespace gausscse
