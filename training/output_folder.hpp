#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file_lock.hpp"
#include "base/output_paths.hpp"
#include "config/trial/trial.hpp"
#include "dist/control_group.hpp"
#include "training/checkpoint/checkpoint_folder.hpp"
#include "training/training_observer.hpp"

namespace gausscse {

/// The paths of a run, as far as they could get into each other's way.
struct RunPaths {
  std::filesystem::path output;
  std::vector<OutputFile> files;      ///< files that the caller writes during the run or after it
  std::filesystem::path token_cache;  ///< folder; empty: none
  std::vector<InputPath> inputs;      ///< all that the run reads
};

/// Returns the paths of a run of `trial`, which lies in `trial_file`, empty where in none; the caller writes `files`.
RunPaths paths_of_run(const Trial& trial, const std::filesystem::path& trial_file, std::vector<OutputFile> files);

/// Returns the checkpoints of the run whose output folder this is.
CheckpointFolder checkpoints_in(const std::filesystem::path& output);
/// Returns its result, which is there when the run has ended.
std::filesystem::path result_in(const std::filesystem::path& output);
/// Returns whether a run writes into the folder now, or may write where the file system has no locks.
bool is_output_in_use(const std::filesystem::path& output);

/// The folder a run writes to, which is this run's alone while the object lives (rank 0 has the lock). Only result.h5,
/// `model` and `checkpoints` in it are a run's, and these only where a run wrote them. result.h5 is known by its
/// content or by the folder's mark, the others by their own marks (base/folder_mark.hpp). Anything else may lie next to
/// them, and stays as it is.
class OutputFolder {
 public:
  /// Makes the folder and looks, on rank 0, at all that the run will write; all ranks learn of a failure. Removes
  /// unfinished files of killed runs of this host. Throws InputError where
  ///  - the folder cannot be written to, or is in use by another run;
  ///  - what a run did not write has the name of something that it writes, or lies in `model`, which is replaced as a
  ///    whole (asking for --overwrite changes nothing about that);
  ///  - an input is, or the token cache or a file of the caller lies in, what the run replaces or removes;
  ///  - a file of the caller cannot be written, or would replace what it may not (see `check_output_files`).
  OutputFolder(const RunPaths& paths, ControlGroup& ranks, TrainingObserver& observer);
  /// Removes a folder that this object made and in which no run was begun (`mark`).
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// Throws InputError, on all ranks, where the folder holds the model of another run than `run` without that run's
  /// result, which would have shown it. `run` identifies the run: equal for equal configurations. Collective.
  void check_model_of(const std::string& run, ControlGroup& ranks) const;

  /// Throws WriteError, on all ranks, where the file system of the folder has less room than `bytes`, which the model
  /// takes. A file system that does not know its room is taken to have enough. Collective.
  void check_room(std::uint64_t bytes, ControlGroup& ranks) const;

  /// Removes an old result with its checkpoints, so that none is there while the new run is not complete. Collective;
  /// call it when nothing that the user gave can be wrong any more.
  void remove_result(ControlGroup& ranks) const;

  /// Notes in the folder that a model in it is from now on that of `run`. Collective.
  void mark(const std::string& run, ControlGroup& ranks) const;

  std::filesystem::path result() const;
  std::filesystem::path model() const;
  CheckpointFolder checkpoints() const;

 private:
  void prepare(const RunPaths& paths, TrainingObserver& observer);
  void lock(TrainingObserver& observer);
  void check_names(const RunPaths& paths) const;
  void check_files(const RunPaths& paths) const;
  void remove_unfinished(TrainingObserver& observer) const;
  void remove_unused();

  std::filesystem::path folder_;
  bool made_ = false;  ///< there was no such folder
  std::optional<FileLock> lock_;
};

}  // namespace gausscse
