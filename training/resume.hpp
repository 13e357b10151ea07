#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/trial/trial.hpp"
#include "dist/communicator.hpp"
#include "results/run_result.hpp"
#include "training/checkpoint/checkpoint_folder.hpp"
#include "training/training_observer.hpp"

namespace gausscse {

/// Returns the settings and inputs that two runs must share so that one can go on from the other's checkpoint. They are
/// the canonical trial, and the content of each input under its role in the trial, so that data and results may be
/// moved. A line each.
std::string resumable_configuration(const Trial& trial,
                                    const std::vector<std::pair<std::string, std::string>>& contents);

/// Name, among the contents of a run's inputs, of the checkpoint of an earlier run that it continues.
inline constexpr const char* continued_checkpoint = "the checkpoint that the run continues";
/// Beginning of its line in `resumable_configuration`.
inline constexpr const char* content_of_continued = "content of the checkpoint that the run continues: ";

/// Returns the trial in `resumable_configuration`, whose paths are roles. Throws InputError if this version cannot read
/// it.
Trial trial_of_configuration(const std::string& configuration);

/// Returns the lines in which two texts differ: "with A where this one has B".
std::string difference_between(const std::string& there, const std::string& here);

/// Returns the lines of a text without their line breaks.
std::vector<std::string> lines_of(const std::string& text);

/// Sends the state of rank 0 to all ranks; curves and early measurements stay on rank 0. Collective.
void broadcast_state(TrainingState& state, Communicator& communicator);

/// Returns such a text as this version of the program would have written it. Keys that it did not know of have their
/// defaults, and paths are replaced by their roles in the trial. The text itself where this version cannot read it.
std::string in_present_form(const std::string& configuration);

/// Returns the newest checkpoint, read by rank 0 and sent to all others; nothing where there is none. Damaged ones are
/// reported to `observer`, and the one before is taken. Throws InputError on all ranks, with the lines that differ, for
/// a checkpoint of another configuration, or removes it if `overwrite` is set.
std::optional<TrainingState> state_to_resume(const CheckpointFolder& folder, const std::string& configuration,
                                             bool overwrite, Communicator& communicator, TrainingObserver& observer);

/// Returns the result in `file`, where there is one, of a run of `configuration` (see `resumable_configuration`): there
/// is nothing left to do. Rank 0 reads it; the other ranks get an empty one. Throws InputError on all ranks for a
/// result of another configuration, with the lines that differ, and for a file that cannot be read.
std::optional<RunResult> finished_result(const std::filesystem::path& file, const std::string& configuration,
                                         ControlGroup& ranks);

}  // namespace gausscse
