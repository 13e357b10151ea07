#pragma once

#include "experiments/claims/process_identity.hpp"
#include "experiments/claims/unfinished_folder.hpp"

namespace gausscse {

/// Kills, with its group, the training of a dead worker of this host that still runs in a folder which was taken from
/// it. `process` is what the trial's attempts.json names, and others may be able to write that file: the process must
/// lead a group, have one of the folders as its working folder, and hold its lock, by itself or by a process that it
/// started. Returns whether it was killed.
bool kill_left_training(const ProcessIdentity& process, const LeftFolders& folders);

}  // namespace gausscse
