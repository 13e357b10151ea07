#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "config/trial/trial.hpp"
#include "dist/communicator.hpp"
#include "results/run_result.hpp"
#include "training/checkpoint/training_state.hpp"
#include "training/run_contents.hpp"

namespace gausscse {

/// Newest checkpoint of an earlier run, as the beginning of a run that continues it.
///
///     EarlierRun earlier = read_earlier_run("runs/first", trial, communicator);
///     compare_inputs(earlier, trial, contents, communicator);
///     broadcast_state(earlier.state, communicator);
///     trainer.restore(earlier.state, result);
struct EarlierRun {
  /// Origin, for the result; on other ranks than rank 0 only its step and its checkpoint's hash.
  ContinuedRun provenance;
  /// Step from which `select.patience` counts: 0, or the checkpoint's, if no patience would be left there.
  std::int64_t patience_from = 0;
  /// Configuration of the earlier run with the contents of its inputs, and the state; both on rank 0 alone.
  std::string configuration;
  TrainingState state;
};

/// Returns the trial of the run whose output folder is `run`, as YAML with absolute paths: that of its newest
/// checkpoint. Throws as `read_earlier_run`.
std::string trial_of_run(const std::filesystem::path& run);

/// Throws InputError if `output` is the folder of the earlier run or lies in it, as nothing may change there.
void check_apart(const std::filesystem::path& output, const std::filesystem::path& run);

/// Reads the newest checkpoint in the output folder `run`, on rank 0, and compares its trial with the one that is to go
/// on from it. Changes nothing in the folder. Throws InputError on all ranks if a run still writes there; if there is
/// no checkpoint, or it is damaged or of another format; if `trial` changes keys that must stay (see
/// `changes_between`). Collective.
EarlierRun read_earlier_run(const std::filesystem::path& run, const Trial& trial, Communicator& communicator);

/// Compares the inputs of both runs by their contents. Leaves curves, early measurements and the best state out of the
/// earlier state where they are of tasks that `trial` does not have, or has with other settings or files. Throws
/// InputError on all ranks if the training data, the tokenizer or the initial weights have another content. Collective.
void compare_inputs(EarlierRun& earlier, const Trial& trial, const Contents& contents, Communicator& communicator);

/// Throws InputError if a training of `total_steps` has no step after those of the earlier run.
void check_steps_are_left(const EarlierRun& earlier, const Trial& trial, std::int64_t total_steps);

/// Returns whether the last checkpoint was to stay with this result.
bool keeps_checkpoint(const RunResult& result);

}  // namespace gausscse
