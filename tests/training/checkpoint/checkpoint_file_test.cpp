#include "training/checkpoint/checkpoint_file.hpp"

#include "base/atomic_file.hpp"
#include "model/weights/safetensors_writer.hpp"
#include "tests/support/disturbances.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/checkpoint/sample_state.hpp"

namespace gausscse {
namespace {

TEST(CheckpointFile, ReadsWhatWasWritten) {
  const TemporaryFolder folder;
  for (const std::int64_t step : {1, 12}) {
    TrainingState state = sample_state(step);
    state.early = {{"untrained", 0, sample_untrained(step)}};
    if (step > 1) state.early.push_back({"step_8", 8, sample_untrained(8)});
    write_checkpoint(folder / "c", state);
    verify_checkpoint(folder / "c");
    expect_equal(read_checkpoint(folder / "c"), state);
  }
}

TEST(CheckpointFile, KeepsAStateBeforeAnyEvaluation) {
  const TemporaryFolder folder;
  TrainingState state = sample_state(3);
  state.best_step = -1;
  state.best_values = at::Tensor();
  write_checkpoint(folder / "c", state);
  expect_equal(read_checkpoint(folder / "c"), state);
}

/// As of a training whose tasks keep nothing of it, and as in checkpoints of the time before any was kept.
TEST(CheckpointFile, KeepsNoUntrainedStateWhereThereIsNone) {
  const TemporaryFolder folder;
  const TrainingState state = sample_state(3);
  write_checkpoint(folder / "c", state);
  EXPECT_EQ(read_whole_file(folder / "c", 1 << 20).find("\"untrained\""), std::string::npos);
  expect_equal(read_checkpoint(folder / "c"), state);
}

/// Checksums are right here: the writer had other values than its curves have steps.
TEST(CheckpointFile, RefusesCurvesOfOtherLengths) {
  const TemporaryFolder folder;
  const auto refusal = [&](const auto& change) {
    TrainingState state = sample_state(4);
    change(state.curves);
    write_checkpoint(folder / "c", state);
    verify_checkpoint(folder / "c");
    try {
      read_checkpoint(folder / "c");
    } catch (const DamagedCheckpoint& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_TRUE(says(refusal([](std::vector<Curve>& curves) { curves[1].lines[0].values.clear(); }),
                   "is damaged: it has fewer values than its curves"));
  EXPECT_TRUE(says(refusal([](std::vector<Curve>& curves) { curves[0].lines[1].values.push_back(1); }),
                   "is damaged: it has more values than its curves"));
}

/// The device, which is part of no tensor, is under a checksum, too: names, values and the checksum itself.
TEST(CheckpointFile, FindsEveryOtherDeviceAndName) {
  const TemporaryFolder folder;
  TrainingState state = sample_state(5);
  state.device = "cpu";
  write_checkpoint(folder / "c", state);
  const std::string good = read_whole_file(folder / "c", 1 << 20);
  for (const auto& [from, to] : {std::pair{"\"cpu\"", "\"bpu\""},
                                 {"\"device\"", "\"devise\""},
                                 {"\"metadata\":", "\"metadate\":"},
                                 {"\"metadata\":\"", "\"metadata\": \"x"}}) {
    std::string bad = good;
    const std::size_t at = bad.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    bad.replace(at, std::string_view(to).size(), to);
    write_bytes(folder / "c", bad);
    EXPECT_THROW(read_checkpoint(folder / "c"), DamagedCheckpoint) << to;
  }
}

/// As written before metadata had a checksum: format, device, and the checksums of tensors.
TEST(CheckpointFile, WithoutAHashOfMetadataIsReadAsBefore) {
  const TemporaryFolder folder;
  TrainingState state = sample_state(5);
  state.device = "cpu";
  write_checkpoint(folder / "c", state);
  {
    const SafetensorsFile file = SafetensorsFile::open(folder / "c");
    std::map<std::string, std::string> metadata = file.metadata();
    EXPECT_EQ(metadata.erase("metadata"), 1u);
    write_file_atomically(folder / "before", SafetensorsImage(file.tensors(), metadata).parts());
  }
  const TrainingState read = read_checkpoint(folder / "before");
  expect_equal(read, state);
  EXPECT_EQ(read.device, "cpu");
}

TEST(CheckpointFile, FindsEveryFlippedBit) {
  const TemporaryFolder folder;
  TrainingState state = sample_state(5);
  state.device = "cpu";
  write_checkpoint(folder / "c", state);
  const std::string good = read_whole_file(folder / "c", 1 << 20);
  ASSERT_GT(good.size(), 2000u);
  for (std::size_t byte = 0; byte < good.size(); ++byte) {
    std::string bad = good;
    bad[byte] = static_cast<char>(bad[byte] ^ (1 << (byte % 8)));
    write_bytes(folder / "c", bad);
    EXPECT_THROW(read_checkpoint(folder / "c"), InputError) << "byte " << byte;
    EXPECT_THROW(verify_checkpoint(folder / "c"), InputError) << "byte " << byte;
    count_disturbance("flipped bits in files");
  }
}

TEST(CheckpointFile, RefusesEveryPrefix) {
  const TemporaryFolder folder;
  write_checkpoint(folder / "c", sample_state(5));
  const std::string good = read_whole_file(folder / "c", 1 << 20);
  for (std::size_t size = 0; size < good.size(); ++size) {
    write_bytes(folder / "c", good.substr(0, size));
    EXPECT_THROW(read_checkpoint(folder / "c"), InputError) << size << " bytes";
    count_disturbance("files cut short");
  }
}

TEST(CheckpointFile, NamesFileAndTensorOfAFlippedBit) {
  const TemporaryFolder folder;
  const TrainingState state = sample_state(5);
  write_checkpoint(folder / "c", state);
  std::string bytes = read_whole_file(folder / "c", 1 << 20);
  const std::string_view values(static_cast<const char*>(state.values.const_data_ptr()), state.values.nbytes());
  const std::size_t place = bytes.find(values);
  ASSERT_NE(place, std::string::npos);
  bytes[place + 9] = static_cast<char>(bytes[place + 9] ^ 4);
  write_bytes(folder / "c", bytes);
  try {
    read_checkpoint(folder / "c");
    FAIL() << "a damaged file was read";
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find((folder / "c").string()), std::string::npos) << message;
    EXPECT_NE(message.find("\"values\""), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace gausscse
