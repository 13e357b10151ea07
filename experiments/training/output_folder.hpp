#pragma once

#include <filesystem>
#include <optional>

#include "base/file_lock.hpp"
#include "dist/communicator.hpp"
#include "experiments/checkpoint/checkpoint_folder.hpp"
#include "experiments/training/training_observer.hpp"

namespace gausscse {

/// The folder a run writes to, which is this run's alone while the object lives (rank 0 has the lock).
class OutputFolder {
 public:
  /// Makes the folder and tries a write, on rank 0; all ranks learn of a failure. Throws InputError where it cannot be
  /// written to or is in use by another run.
  OutputFolder(const std::filesystem::path& folder, Communicator& communicator, TrainingObserver& observer);

  /// Removes an old result with its checkpoints, so that none is there while the new run is not complete. Collective;
  /// call it when nothing that the user gave can be wrong any more.
  void remove_result(Communicator& communicator) const;

  std::filesystem::path result() const { return folder_ / "result.h5"; }
  std::filesystem::path model() const { return folder_ / "model"; }
  CheckpointFolder checkpoints() const { return CheckpointFolder(folder_ / "checkpoints"); }

 private:
  void prepare(TrainingObserver& observer);

  std::filesystem::path folder_;
  std::optional<FileLock> lock_;
};

}  // namespace gausscse
