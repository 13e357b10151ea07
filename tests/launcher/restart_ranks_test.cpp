#include "tests/launcher/disturbed_runs.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// A run that one of its ranks leaves by SIGKILL.
void kill_rank(const TinyProject& project, const std::string& output, const RunSettings& settings,
               const Overrides& overrides = every_step) {
  const ProgramRun run = train(project, output, settings, overrides);
  EXPECT_NE(run.exit_code, 0) << output;
  EXPECT_EQ(run.signals_sent, 1u) << output;
  EXPECT_NE(run.errors.find("signal 9"), std::string::npos) << output << ": " << run.errors;
}

/// Every step has two all-reduces; a rank is killed before its k-th. No rank begins a step before rank 0 has written
/// every checkpoint but the newest, so that the kills in the fourth and in the sixth step leave some.
TEST(RestartOfRanks, EndsWithTheSameBitsAfterAKillOfOneRank) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  ASSERT_EQ(train(project, "whole", {.ranks = 2}).exit_code, 0);
  ASSERT_LT(best_step_of(folder / "whole"), 6) << "else nothing shows that the best state is restored";
  for (const int rank : {0, 1}) {
    for (const int all_reduce : {2, 7, 12}) {
      const std::string output = concat("killed", rank, "-", all_reduce);
      kill_rank(project, output, with_kill_of_rank(2, rank, all_reduce));
      EXPECT_EQ(checkpoints_of(folder / output).empty(), all_reduce == 2) << output;
      expect_the_undisturbed_end(project, output, {.ranks = 2});
      ASSERT_FALSE(HasFailure()) << output;
    }
  }
}

/// The moments that rank 0 sends are those of the trained parameters, fewer than there are weights.
TEST(RestartOfRanks, EndsWithTheSameBitsWhereTheFirstLayersAreHeld) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const Overrides overrides{"training.checkpoint_every=1", "training.parameters={from_layer: 1}",
                            "training.head_learning_rate=1e-3"};
  ASSERT_EQ(train(project, "whole", {.ranks = 2}, overrides).exit_code, 0);
  kill_rank(project, "killed", with_kill_of_rank(2, 1, 7), overrides);
  EXPECT_GT(expect_the_undisturbed_end(project, "killed", {.ranks = 2}, overrides), 0);
}

/// A rank has one all-reduce a step in this mode.
class RankInvariantRestart : public testing::TestWithParam<const char*> {};

TEST_P(RankInvariantRestart, GoesOnWithAnotherNumberOfRanks) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const std::vector<std::string> overrides = {"training.checkpoint_every=1", "reproducibility=rank_invariant",
                                              concat("training.precision=", GetParam())};
  ASSERT_EQ(train(project, "whole", {}, overrides).exit_code, 0);
  kill_rank(project, "killed", with_kill_of_rank(2, 1, 5), overrides);
  EXPECT_GT(expect_the_undisturbed_end(project, "killed", {}, overrides), 0);
}

INSTANTIATE_TEST_SUITE_P(Precisions, RankInvariantRestart, testing::Values("fp32", "bf16"));

}  // namespace
}  // namespace gausscse
