#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/manifest/manifest.hpp"
#include "experiments/processes/child_process.hpp"
#include "experiments/processes/machine.hpp"

namespace gausscse {

/// Returns the environment variables, of these, that mark a process, and its children, as a rank of the enclosing
/// mpirun or srun step. Variables that a user sets for both launchers are not among them, nor are those of the Slurm
/// job.
std::vector<std::string> variables_of_step(const std::vector<std::string>& names);

/// Part of a machine for one trial at a time.
struct TrialSlot {
  std::vector<int> cores;         ///< empty: not bound
  std::vector<std::string> gpus;  ///< as CUDA_VISIBLE_DEVICES names them; empty: none are handed out
};

/// Returns as many slots as the machine holds at once, each with its own cores for ranks x threads. Where `gpus` is 1
/// it has a GPU a rank; where that is less, it shares one with other slots. One with all cores where there are too few
/// of them (see `division_warning`). Under srun, which brings its own resources, as many as the allocation holds, and
/// one where there is none. Throws InputError where a trial asks for more GPUs than there are, and for several ranks
/// that nothing starts.
std::vector<TrialSlot> divide_machine(const Resources& resources, const Machine& machine);

/// Returns the highest number of trials of one rank that share a GPU; 1 where each has its own, 0 where none has.
int trials_on_a_gpu(const Resources& resources);

/// Returns why a machine has too few GPUs for a trial, as the beginning of a message; empty where it has enough, or
/// none are asked for. Under srun it is the allocation that counts; where there is none, Slurm will see to it.
std::string lacking_gpus(const Resources& resources, const Machine& machine);

/// Returns a warning about a division that does not fit well: too few cores, GPUs that are left alone. Else empty.
std::string division_warning(const Resources& resources, const Machine& machine);

/// Returns the command that trains the trial in `folder` (study_layout::trial_file): the launcher, and `PROGRAM
/// --threads N train trial.yaml --json report.json --progress progress.json --failure error.json`. It removes variables
/// of a surrounding MPI or Slurm step for a process that is to be none of its ranks. A trial without GPUs sees none.
/// One that shares a GPU may take its part of the memory, by a setting of LibTorch's allocator.
ChildCommand train_command(const Resources& resources, const TrialSlot& slot, const std::filesystem::path& program,
                           const std::filesystem::path& folder);

}  // namespace gausscse
