#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/trial/trial.hpp"

namespace gausscse {

/// Returns the trial without what changes no metric, so that two trials of equal canonical ones, made from files of
/// equal content, have the same result: where things lie and are kept, when checkpoints are written, what ranks compute
/// on and how they divide it. Paths are replaced by what they are to the trial ("/data.train/1"). Metrics of trials
/// that differ only in what is left out differ by rounding at most. The canonical trial of a canonical trial is the
/// same.
Trial canonical_trial(const Trial& trial);

/// A file or folder that a trial reads, and what it is to the trial: "data.train/1", "tasks.dev/1", "model.backbone".
struct TrialInput {
  std::string role;
  std::filesystem::path path;
  std::vector<std::filesystem::path> files = {};  ///< files of the folder that are read; empty: all
};

/// Returns all of them, in the trial's order; a file that is read twice is there twice.
std::vector<TrialInput> inputs_of(const Trial& trial);

/// Returns what a file is to the trial, wherever it lies: "data.train/1", "tasks.dev/1",
/// "tasks.sts12/1/STS.input.MSRpar.txt", "model.backbone/config.json"; the text itself where it is none of the trial's.
std::string role_of_file(const Trial& trial, const std::string& file);

}  // namespace gausscse
