#include "training/checkpoint/checkpoint_writer.hpp"

#include <ATen/ops/zeros.h>

#include "tests/support/testing.hpp"
#include "tests/training/checkpoint/sample_state.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

/// Returns the newest whole checkpoint, and expects that none is damaged.
TrainingState newest_state(const CheckpointFolder& checkpoints) {
  std::vector<std::string> problems;
  auto state = checkpoints.newest(problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_TRUE(state.has_value());
  return state ? std::move(*state) : TrainingState();
}

TEST(CheckpointWriter, WritesACopyAndTellsFailures) {
  const TemporaryFolder folder;
  TrainingState state = sample_state(3);
  {
    CheckpointWriter writer(CheckpointFolder(folder / "checkpoints"), state.configuration);
    EXPECT_FALSE(writer.used());
    writer.submit(state);
    for_each_tensor(state, [](const char*, at::Tensor& tensor) { tensor.fill_(-1); });
    writer.finish();
    EXPECT_TRUE(writer.used());
    EXPECT_TRUE(writer.take_problems().empty());
    EXPECT_EQ(writer.last_problem(), "");
  }
  expect_equal(newest_state(CheckpointFolder(folder / "checkpoints")), sample_state(3));

  write_bytes(folder / "file", "");
  CheckpointWriter writer(CheckpointFolder(folder / "file" / "checkpoints"), "");
  writer.submit(sample_state(5));
  writer.finish();
  const std::vector<std::string> problems = writer.take_problems();
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("step 5"), std::string::npos) << problems[0];
  EXPECT_TRUE(writer.take_problems().empty());
  EXPECT_EQ(writer.last_problem(), problems[0]) << "as long as none is written";
  fs::remove(folder / "file");
  fs::create_directory(folder / "file");
  writer.submit(sample_state(6));
  writer.finish();
  EXPECT_EQ(writer.last_problem(), "");
}

TEST(CheckpointWriter, WritesWhatWasSubmittedBeforeItGoes) {
  const TemporaryFolder folder;
  const TrainingState state = sample_state(5);
  {
    CheckpointWriter writer(CheckpointFolder(folder / "checkpoints"), state.configuration);
    writer.submit(sample_state(4));
    writer.submit(state);
  }
  expect_equal(newest_state(CheckpointFolder(folder / "checkpoints")), state);
}

/// A state that no memory holds costs its checkpoint, not those before and behind it.
TEST(CheckpointWriter, GoesOnWhereMemoryIsRefusedToTheCopy) {
#ifdef GAUSSCSE_ADDRESS_SANITIZER
  GTEST_SKIP() << "AddressSanitizer itself ends a program that asks for so much";
#endif
  const TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "checkpoints");
  CheckpointWriter writer(checkpoints, sample_state(6).configuration);
  TrainingState small = sample_state(3), huge = sample_state(4);
  small.best_step = -1;
  small.best_values = at::Tensor();
  writer.submit(small);
  huge.best_values = at::zeros({1}).expand({std::int64_t{1} << 52});
  writer.submit(huge);
  EXPECT_EQ(writer.bytes_of_copy(), 0);
  const std::vector<std::string> problems = writer.take_problems();
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_TRUE(says(problems[0], "the checkpoint of step 4 is lost: memory was refused"));
  EXPECT_EQ(writer.last_problem(), problems[0]);
  writer.submit(sample_state(6));
  writer.finish();
  EXPECT_EQ(writer.last_problem(), "");
  EXPECT_EQ(checkpoints.steps(), (std::vector<std::int64_t>{3, 6}));
  expect_equal(newest_state(checkpoints), sample_state(6));
}

}  // namespace
}  // namespace gausscse
