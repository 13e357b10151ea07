#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "training/checkpoint/training_state.hpp"

namespace gausscse {

/// The checkpoints of a run: files step-<number>.safetensors in a folder that is marked as theirs
/// (base/folder_mark.hpp). Other files there are never looked at, replaced or removed. Used by one rank only; the other
/// ranks learn by a message, never from the disk.
class CheckpointFolder {
 public:
  explicit CheckpointFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& path() const { return folder_; }
  /// Throws InputError, with the name, where a file or folder that no run wrote is in the way. It may be a file in
  /// place of the folder, or a file with a checkpoint's name in a folder that is not marked.
  void check() const;

  /// Returns whether a file of this name in the folder, whole or unfinished, would be a run's.
  static bool is_own_name(std::string_view name);

  /// Steps of the checkpoints that are there, rising; none in a folder that is not marked. Throws SystemError where the
  /// folder cannot be listed.
  std::vector<std::int64_t> steps() const;
  std::filesystem::path file(std::int64_t step) const;

  /// Writes a state, reads it again, and only then removes all but it and the one before. Makes the folder, but not the
  /// one around it, and marks it. Throws WriteError; DamagedCheckpoint where the bytes read back are not those written;
  /// and as `check`.
  void write(const TrainingState& state) const;

  /// Returns the newest state that is whole. Problems of newer ones are appended to `problems`, and they are removed,
  /// as nothing can be done with them. Nothing where there is none. Throws InputError for one that may not be read, or
  /// is of another version.
  std::optional<TrainingState> newest(std::vector<std::string>& problems) const;

  /// Removes all checkpoints but the newest. Throws WriteError.
  void keep_newest() const;

  /// Removes all checkpoints and the mark, and the folder if nothing else is in it. Throws WriteError.
  void remove() const;

 private:
  void remove_step(std::int64_t step) const;

  std::filesystem::path folder_;
};

}  // namespace gausscse
