#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/grid/child_process.hpp"
#include "experiments/manifest/manifest.hpp"

namespace gausscse {

/// What of a machine one trial at a time may have.
struct TrialSlot {
  std::vector<int> cores;         ///< empty: not bound
  std::vector<std::string> gpus;  ///< as CUDA_VISIBLE_DEVICES names them; empty: none are handed out
};

/// What a worker may use: cores of its affinity (or of its Slurm allocation), GPUs that it sees.
struct Machine {
  std::vector<int> cores;
  std::vector<std::string> gpus;
};

/// This process's.
Machine this_machine();

/// As many slots as the machine holds at once, one at least where the launcher brings its own resources (srun). Throws
/// InputError where not even one fits: what a trial asks for and what there is.
std::vector<TrialSlot> divide_machine(const Resources& resources, const Machine& machine);

/// The command that trains what is in `folder` (study_layout::trial_file): the launcher, and
/// `PROGRAM train trial.yaml --json report.json --progress progress.json`, with variables of a surrounding MPI or Slurm
/// step out of the way of a process that is to be none of its ranks.
ChildCommand train_command(const Resources& resources, const TrialSlot& slot, const std::filesystem::path& program,
                           const std::filesystem::path& folder);

}  // namespace gausscse
