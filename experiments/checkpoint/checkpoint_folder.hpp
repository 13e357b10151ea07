#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/checkpoint/training_state.hpp"

namespace gausscse {

/// The checkpoints of a run: files step-<number>.safetensors in a folder of their own. Used by one rank only; the
/// others learn by a message, never from the disk.
class CheckpointFolder {
 public:
  explicit CheckpointFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& path() const { return folder_; }
  /// Steps of the checkpoints that are there, rising. Throws SystemError where the folder cannot be listed.
  std::vector<std::int64_t> steps() const;
  std::filesystem::path file(std::int64_t step) const;

  /// Writes a state, reads it again, and only then removes all but it and the one before. Makes the folder. Throws
  /// WriteError, and DamagedCheckpoint where what came back is not what was written.
  void write(const TrainingState& state) const;

  /// The newest state that is whole. What is wrong with newer ones is appended to `problems`, and they are removed, as
  /// nothing can be done with them. Nothing where there is none. Throws InputError for one that may not be read, or is
  /// of another version.
  std::optional<TrainingState> newest(std::vector<std::string>& problems) const;

  /// Removes the folder with all checkpoints.
  void remove() const;

 private:
  std::filesystem::path folder_;
};

}  // namespace gausscse
