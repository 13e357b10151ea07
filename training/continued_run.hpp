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
///     EarlierRun earlier = read_earlier_run("runs/first", trial, contents, communicator);
///     broadcast_state(earlier.state, communicator);
///     trainer.restore(earlier.state, result);
struct EarlierRun {
  /// Origin, for the result; on other ranks than rank 0 only its step and its checkpoint's hash.
  ContinuedRun provenance;
  /// Step from which `select.patience` counts: 0, or the checkpoint's, if no patience would be left there.
  std::int64_t patience_from = 0;
  /// State on rank 0. Curves, early measurements and the best state are left out where they are of tasks that `trial`
  /// does not have, or has with other settings or files.
  TrainingState state;
};

/// Returns the trial of the run whose output folder is `run`, as YAML with absolute paths: that of its newest
/// checkpoint. Throws as `read_earlier_run`.
std::string trial_of_run(const std::filesystem::path& run);

/// Throws InputError if `output` is the folder of the earlier run or lies in it, as nothing may change there.
void check_apart(const std::filesystem::path& output, const std::filesystem::path& run);

/// Reads the newest checkpoint in the output folder `run`, on rank 0, and compares it with `trial`, which is to go on
/// from it, and with the contents of that one's inputs. Changes nothing in the folder. Throws InputError on all ranks
/// if a run still writes there; if there is no checkpoint, or it is damaged or of another format; if `trial` changes
/// what must stay (see `changes_between`), or the training data or the initial weights have another content.
/// Collective.
EarlierRun read_earlier_run(const std::filesystem::path& run, const Trial& trial, const Contents& contents,
                            Communicator& communicator);

/// Throws InputError if a training of `total_steps` has no step after those of the earlier run.
void check_steps_are_left(const EarlierRun& earlier, const Trial& trial, std::int64_t total_steps);

/// Returns whether the last checkpoint was to stay with this result.
bool keeps_checkpoint(const RunResult& result);

}  // namespace gausscse
