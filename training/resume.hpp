#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/trial/trial.hpp"
#include "dist/communicator.hpp"
#include "training/checkpoint/checkpoint_folder.hpp"
#include "training/training_observer.hpp"

namespace gausscse {

/// Returns what two runs must share so that one can go on from the other's checkpoint: the canonical trial, and the
/// content of what it was made from, each under what it is to the trial, so that data and results may be moved. A line
/// each.
std::string resumable_configuration(const Trial& trial,
                                    const std::vector<std::pair<std::string, std::string>>& contents);

/// Returns such a text as this version of the program would have written it: keys that it did not know of have their
/// defaults, paths are replaced by their roles in the trial. The text itself where this version cannot read it.
std::string in_present_form(const std::string& configuration);

/// Returns what differs between two of these: "with A where this one has B".
std::string difference(const std::string& there, const std::string& here);

/// Returns the newest checkpoint, read by rank 0 and sent to all others; nothing where there is none. Damaged ones are
/// reported to `observer`, and the one before is taken. Throws InputError on all ranks, with the lines that differ, for
/// a checkpoint of another configuration, or removes it if `overwrite` is set.
std::optional<TrainingState> state_to_resume(const CheckpointFolder& folder, const std::string& configuration,
                                             bool overwrite, Communicator& communicator, TrainingObserver& observer);

}  // namespace gausscse
