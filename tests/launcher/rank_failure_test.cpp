#include <unistd.h>

#include "tests/launcher/disturbed_runs.hpp"
#include "tests/launcher/jobs_at_once.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// Expects one error, printed by `rank`, with `text` in it, and nothing left of the job.
void expect_one_error(const ProgramRun& run, int exit_code, int rank, const std::string& text,
                      const TinyProject& project) {
  EXPECT_EQ(run.exit_code, exit_code) << run.errors;
  EXPECT_EQ(count(run.errors, "gausscse: error"), 1u) << run.errors;
  EXPECT_TRUE(says(run.errors, concat("gausscse: error on rank ", rank, ": ")));
  EXPECT_TRUE(says(run.errors, text));
  EXPECT_FALSE(fs::exists(project.output() / "result.h5"));
  EXPECT_EQ(processes_left_with(project.trial()), std::vector<int>{});
}

/// Trains on `ranks` ranks of which one fails by itself in a step; the others wait for it in a collective, for ten
/// minutes if no rank ends the job.
ProgramRun run_with_failing_rank(const TinyProject& project, int ranks, int failing_rank, const std::string& what,
                                 int step = 1) {
  return run_program({project.trial().string(), std::to_string(failing_rank), what, std::to_string(step)},
                     {.ranks = ranks, .program = GAUSSCSE_FAILING_RANK});
}

using RankFailure = TinyProjectTest;

TEST_F(RankFailure, AnExceptionOnOneRankEndsAll) {
  struct Failure {
    const char* what;
    int ranks, rank, step;
  };
  const Failure failures[] = {{"input", 2, 1, 0},  {"input", 3, 2, 5},  {"input", 4, 0, 3},
                              {"write", 2, 0, 4},  {"write", 3, 2, 2},  {"write", 4, 1, 5},
                              {"system", 2, 1, 1}, {"system", 3, 0, 3}, {"system", 4, 3, 0}};
  const std::map<std::string, std::pair<int, std::string>> endings = {
      {"input", {2, "a line that only this rank has"}},
      {"write", {2, "a disk that only this rank has is full"}},
      {"system", {1, "a device that only this rank has is gone"}}};
  run_jobs_at_once(std::size(failures), 3, [&](std::size_t i) {
    const auto& [what, ranks, rank, step] = failures[i];
    SCOPED_TRACE(concat(what, " on rank ", rank, " of ", ranks, ", step ", step));
    const TemporaryFolder folder;
    const TinyProject project(folder.path());
    const auto& [exit_code, text] = endings.at(what);
    expect_one_error(run_with_failing_rank(project, ranks, rank, what, step), exit_code, rank, text, project);
  });
}

/// As --check-collectives asks for.
TEST_F(RankFailure, ACollectiveOfOneRankAloneIsToldWhereTheyAreCompared) {
  const ProgramRun run = run_with_failing_rank(project_, 2, 1, "collective");
  expect_one_error(run, 1, 0, "the ranks are about to call different collectives: rank 0 all_gather", project_);
}

TEST_F(RankFailure, MemoryThatIsRefusedOnOneRankEndsAll) {
#ifdef GAUSSCSE_ADDRESS_SANITIZER
  GTEST_SKIP() << "AddressSanitizer itself ends a program that asks for so much";
#endif
  const ProgramRun run = run_with_failing_rank(project_, 2, 1, "memory");
  expect_one_error(run, 1, 1, "out of memory for candidates with their gradient; held, the largest first: ", project_);
  // A tiny BERT, 32 wide, of two layers with a Gaussian head: 21,408 float32 parameters, four times, and a time more.
  // Of the rank's four examples 12 embeddings of 64 numbers.
  for (const char* part : {"parameters with gradients and moments 334.50 KiB", "parameters of the best state 83.62 KiB",
                           "activations of 12 sentences (",
                           "candidates with their gradient 3.00 KiB: let candidates "
                           "travel around the ring of ranks (training.exchange: ring), let a rank embed"})
    EXPECT_TRUE(says(run.errors, part));
  EXPECT_TRUE(says(run.errors, "4503599627370496 bytes"));
}

/// A number that is not finite on one rank is so on all after the gathering; the lowest rank reports it.
TEST_F(RankFailure, NoNumbersOnOneRankEndAll) {
  const ProgramRun run = run_with_failing_rank(project_, 2, 1, "nan");
  expect_one_error(run, 2, 0, "training stopped at step 1: the loss is nan", project_);
}

/// Wherever on one rank a value that is no number comes in, all ranks stop in that step. The checkpoints before it are
/// kept, and lead to the undisturbed end.
TEST_F(RankFailure, NoNumbersOnOneRankLeaveTheCheckpointsBefore) {
  ASSERT_EQ(train(project_, "whole", {.ranks = 2}).exit_code, 0);
  struct Site {
    const char* what;
    std::size_t loss_is_nan, norm_is_nan;
  };
  for (const auto& [what, loss_is_nan, norm_is_nan] :
       {Site{"nan", 1, 1}, Site{"nan_loss", 1, 0}, Site{"nan_gradient", 0, 1}}) {
    SCOPED_TRACE(what);
    const ProgramRun run = run_program({project_.trial().string(), "1", what, "4", "training.checkpoint_every=1",
                                        concat("output=", project_.output(what).string())},
                                       {.ranks = 2, .program = GAUSSCSE_FAILING_RANK});
    expect_one_error(run, 2, 0, "training stopped at step 4: the loss is ", project_);
    EXPECT_EQ(count(run.errors, "the loss is nan"), loss_is_nan) << run.errors;
    EXPECT_EQ(count(run.errors, "the gradients' norm is nan"), norm_is_nan) << run.errors;
    EXPECT_EQ(count(run.errors, " (not finite): lower training.learning_rate"), norm_is_nan) << run.errors;
    EXPECT_GE(expect_the_undisturbed_end(project_, what, {.ranks = 2}), 3);
  }
}

/// A file that only one node has in a bad state.
TEST_F(RankFailure, ABadFileOfOneRankEndsAll) {
  const fs::path other = folder_ / "other.jsonl";
  write_bytes(other, "{\"gold_label\": \"entailment\"\n");
  const ProgramRun run = run_program(
      train_arguments(project_),
      {.ranks = 3, .last_rank_arguments = train_arguments(project_, "", {concat("tasks.dev.files=", other.string())})});
  expect_one_error(run, 2, 2, concat(other.string(), ":1"), project_);
}

TEST_F(RankFailure, WhatAllRanksRunIntoIsReportedOnce) {
  write_bytes(project_.dev(), "");
  const ProgramRun run = run_program(train_arguments(project_), 3);
  expect_one_error(run, 2, 0, project_.dev().string(), project_);
}

/// Two ranks in their own folders, where the same path leads to another file on each, as on two nodes.
class NodesOfTheirOwn {
 public:
  NodesOfTheirOwn() : before_(fs::current_path()), project_(folder_ / "project") {
    for (const char* node : {"node0", "node1"}) {
      fs::create_directory(folder_ / node);
      for (const fs::path& part : {project_.train(), project_.dev(), project_.test(), project_.model()})
        fs::copy(part, folder_ / node / part.filename(), fs::copy_options::recursive);
    }
  }
  ~NodesOfTheirOwn() { fs::current_path(before_); }
  NodesOfTheirOwn(const NodesOfTheirOwn&) = delete;
  NodesOfTheirOwn& operator=(const NodesOfTheirOwn&) = delete;

  const TinyProject& project() const { return project_; }
  fs::path on_node1(const std::string& file) const { return folder_ / "node1" / file; }

  ProgramRun train() {
    const std::string here = "/proc/self/cwd/";
    const std::vector<std::string> arguments = train_arguments(
        project_, "",
        {concat("model.backbone.path=", here, "model"), concat("data.train=[", here, "train.jsonl]"),
         concat("tasks.dev.files=", here, "dev.jsonl"), concat("tasks.tiny.files=", here, "test.jsonl")});
    const std::vector<std::string> of_last = with({"-C", folder_ / "node1", GAUSSCSE_PROGRAM}, arguments);
    fs::current_path(folder_ / "node0");
    return run_program(arguments, {.ranks = 2, .last_rank_arguments = of_last, .last_rank_program = "/usr/bin/env"});
  }

 private:
  fs::path before_;
  TemporaryFolder folder_;
  TinyProject project_;
};

TEST_F(RankFailure, NodesWithTheSameFilesTrain) {
  NodesOfTheirOwn nodes;
  EXPECT_TRUE(ended(nodes.train(), 0));
  EXPECT_TRUE(fs::exists(nodes.project().output() / "result.h5"));
}

TEST_F(RankFailure, NodesWithOtherDataAreRefused) {
  for (const auto& [file, role] : {std::pair{"train.jsonl", "data.train/1"}, std::pair{"dev.jsonl", "tasks.dev/1"},
                                   std::pair{"test.jsonl", "tasks.tiny/1"}}) {
    NodesOfTheirOwn nodes;
    const std::string text = read_whole_file(nodes.on_node1(file), 1 << 20);
    write_bytes(nodes.on_node1(file), text + text.substr(0, text.find('\n') + 1));
    const ProgramRun run = nodes.train();
    expect_one_error(run, 2, 0, "the configuration is not the same on all ranks: rank 0 has ", nodes.project());
    EXPECT_EQ(count(run.errors, concat("\"content of ", role, ": ")), 2u) << run.errors;
  }
}

TEST_F(RankFailure, NodesWithOtherWeightsAreRefused) {
  NodesOfTheirOwn nodes;
  const fs::path weights = nodes.on_node1("model/model.safetensors");
  std::string bytes = read_whole_file(weights, 1 << 24);
  // A bit in the fraction of the last float32.
  bytes[bytes.size() - 3] = static_cast<char>(bytes[bytes.size() - 3] ^ 1);
  write_bytes(weights, bytes);
  const ProgramRun run = nodes.train();
  expect_one_error(run, 2, 0, "\"content of the initial weights: ", nodes.project());
}

}  // namespace
}  // namespace gausscse
