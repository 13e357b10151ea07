#include "base/philox.hpp"
#include "tests/launcher/disturbed_runs.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
/// A project whose undisturbed run is in `whole`; `calls` are those it made.
class Restart : public TinyProjectTest {
 protected:
  Restart() : calls_(calls_of_a_run(project_)) {}
  void SetUp() override {
    ASSERT_LT(best_step_of(folder_ / "whole"), 6) << "else nothing shows that the best state is restored";
  }

  /// A run into `output` that is killed before the k-th call of a kind, and must have been.
  void kill_at(const std::string& output, const std::string& kind, long k) const {
    const ProgramRun run = train(project_, output, with_kill_at(kind, k));
    ASSERT_EQ(run.exit_code, 137) << kind << " " << k << ": " << run.errors;
    ASSERT_EQ(run.signals_sent, 1u);
  }

  std::map<std::string, long> calls_;
};

/// The number of looks at the clock differs by a few calls from run to run, so the last ones are left out.
TEST_F(Restart, EndsWithTheSameBitsAfterAKillAnywhere) {
  const long calls = calls_.at("call") * 95 / 100;
  ASSERT_GT(calls, 100);
  constexpr int times = 25;
  PhiloxStream stream(11, 0);
  int resumed = 0;
  for (int i = 0; i < times; ++i) {
    const std::string output = concat("killed", i);
    ASSERT_NO_FATAL_FAILURE(kill_at(output, "call", 1 + stream.below(static_cast<std::uint32_t>(calls))));
    if (expect_the_undisturbed_end(project_, output) > 0) ++resumed;
    ASSERT_FALSE(HasFailure()) << output;
  }
  EXPECT_GE(resumed, times / 3);
}

/// Each checkpoint takes the same number of writes.
TEST_F(Restart, EndsWithTheSameBitsAfterAKillInsideAWriteOfACheckpoint) {
  const long writes = calls_.at("checkpoint_write"), each = writes / 6;
  ASSERT_EQ(writes, 6 * each);
  ASSERT_GE(each, 5);
  constexpr int times = 15;
  for (int i = 0; i < times; ++i) {
    const long k = 1 + i * (writes - 1) / (times - 1);
    const std::string output = concat("killed", i);
    ASSERT_NO_FATAL_FAILURE(kill_at(output, "checkpoint_write", k));
    const std::int64_t whole = (k - 1) / each;
    const std::vector<std::int64_t> there = checkpoints_of(folder_ / output);
    EXPECT_EQ(there.empty() ? 0 : there.back(), whole);
    int partial = 0;
    for (const auto& entry : fs::directory_iterator(folder_ / output / "checkpoints"))
      if (entry.path().filename().string().find(".tmp-") != std::string::npos) ++partial;
    EXPECT_EQ(partial, 1) << "write " << k;
    EXPECT_EQ(expect_the_undisturbed_end(project_, output), whole);
    ASSERT_FALSE(HasFailure()) << output;
  }
}

TEST_F(Restart, TakesTheCheckpointBeforeADamagedOne) {
  ASSERT_NO_FATAL_FAILURE(kill_after_two_checkpoints(project_, "damaged"));
  const fs::path newest = checkpoint_of(folder_ / "damaged", 4);
  std::string bytes = read_whole_file(newest, std::size_t{64} << 20);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 16);
  write_bytes(newest, bytes);
  const ProgramRun run = train(project_, "damaged");
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_TRUE(says(run.errors, newest.string()));
  EXPECT_TRUE(says(run.errors, "going on after step 3 of"));
  ASSERT_NO_FATAL_FAILURE(expect_same_run(folder_ / "whole", folder_ / "damaged"));
}

}  // namespace
}  // namespace gausscse
