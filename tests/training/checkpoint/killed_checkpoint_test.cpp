#include "tests/support/disturbances.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/checkpoint/sample_state.hpp"
#include "training/checkpoint/checkpoint_folder.hpp"

namespace gausscse {
namespace {

using Steps = std::vector<std::int64_t>;

/// The writer of the third checkpoint is killed before each of its calls. The newest checkpoint that is there is whole
/// and the second or the third, and the next writer goes on.
TEST(KilledCheckpoint, LeavesTheOneBeforeOrTheNewOne) {
  const TrainingState first = sample_state(2), second = sample_state(4), third = sample_state(6),
                      fourth = sample_state(8);
  std::size_t before = 0, after = 0;
  bool killed = true;
  for (std::size_t k = 1; killed; ++k) {
    const TemporaryFolder folder;
    const CheckpointFolder checkpoints(folder / "checkpoints");
    checkpoints.write(first);
    checkpoints.write(second);
    killed = killed_before_call(k, [&] { checkpoints.write(third); });
    const Steps there = checkpoints.steps();
    const bool is_new = there.back() == 6;
    EXPECT_TRUE(there == (Steps{2, 4}) || there == (Steps{2, 4, 6}) || there == (Steps{4, 6})) << "call " << k;
    EXPECT_FALSE(after > 0 && !is_new) << "call " << k;
    ++(is_new ? after : before);
    std::vector<std::string> problems;
    const auto newest = checkpoints.newest(problems);
    ASSERT_TRUE(newest.has_value()) << "call " << k;
    EXPECT_TRUE(problems.empty()) << "call " << k << ": " << problems.front();
    expect_equal(*newest, is_new ? third : second);
    checkpoints.write(fourth);
    EXPECT_EQ(checkpoints.steps(), (Steps{there.back(), 8})) << "call " << k;
    if (killed) count_disturbance("kills of a writer, one before each of its calls");
  }
  EXPECT_GE(before, 15u);
  EXPECT_GE(after, 2u);
}

}  // namespace
}  // namespace gausscse
