#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/claims/claim_content.hpp"
#include "experiments/claims/unfinished_folder.hpp"

namespace gausscse {

/// Notes on a trial's attempts in its folder ("gausscse-attempts/1", JSON), for the worker that goes on with it.
struct Attempts {
  long generation = 0;  ///< generation of the claim of the last attempt
  std::string worker;   ///< worker that made it
  std::int64_t started = 0;
  double seconds = 0;  ///< time of the attempts that ended, and of the last one as far as it was noted
  std::vector<std::string> hosts;
  /// Launcher of the last attempt, which leads a process group; number 0: none, or its end is known.
  ProcessIdentity process;
  double earlier_seconds = 0;  ///< time of those before the last one
  /// Failures of machines, not of the trial, that ended the last attempts, one after another.
  std::int64_t machine_failures = 0;
  bool operator==(const Attempts&) const = default;
};

/// Throws WriteError.
void write_attempts(const std::filesystem::path& folder, const Attempts& attempts, const World& world = real_world());
/// Reads them. No attempts where the file is missing, damaged or not a worker's: it is not worth a trial. A symbolic
/// link is not followed.
Attempts read_attempts(const std::filesystem::path& folder, const World& world = real_world());
/// Returns the least time that the last attempt in `folder`, whose end nobody recorded, trained. It lasts from the time
/// of its trial file to the last write to its log, progress and checkpoints, by the clock of the file system. 0 where
/// none was begun.
double seconds_by_files(const std::filesystem::path& folder, const World& world = real_world());

/// Kills, with its group, the training of a dead worker of this host that still runs in a folder which was taken from
/// it. `process` is the one that the trial's attempts.json names, and other users may be able to write that file. So
/// the process must lead a group, have one of the folders as its working folder, and hold its lock, by itself or by a
/// process that it started. Returns whether it was killed.
bool kill_left_training(const ProcessIdentity& process, const LeftFolders& folders, const World& world = real_world());

}  // namespace gausscse
