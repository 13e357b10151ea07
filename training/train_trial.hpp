#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/output_paths.hpp"
#include "config/trial/trial.hpp"
#include "dist/communicator.hpp"
#include "results/run_result.hpp"
#include "training/training_observer.hpp"

namespace gausscse {

/// Circumstances of a training besides its trial.
struct TrainOptions {
  std::size_t threads = 1;       ///< threads of this rank
  at::Device device = at::kCPU;  ///< device that this rank computes on
  bool overwrite = false;        ///< replace a result that is there, or checkpoints of another configuration
  Provenance provenance;         ///< version, commit, libraries, hosts and instructions; the rest is filled in
  /// Output folder of an earlier run whose newest checkpoint this run continues in its own folder; empty: of none
  std::filesystem::path continued;
  std::filesystem::path trial_file;  ///< file of the trial, whose place no output may take; may be empty
  /// Files that the caller writes, checked before the work: no input, no output of the run
  std::vector<OutputFile> files;
};

/// Runs a trial on all ranks of `communicator` and writes `output`/result.h5 and `output`/model (rank 0). Returns the
/// result, on rank 0. Where `output` holds a checkpoint of the same configuration, goes on from it; where it holds its
/// result, there is nothing to do but return that. Else it begins with the newest checkpoint of the run that it
/// continues, if there is one (`read_earlier_run`), or with initial weights. Throws InputError before the data are read
/// where an output is in the way of something (see OutputFolder). Unless `overwrite` is set, throws it before any step
/// where `output` holds a result, checkpoints or a model of another configuration. Throws TrainingStopped where
/// `requests` asked for it.
RunResult train_trial(const Trial& trial, const TrainOptions& options, Communicator& communicator,
                      TrainingObserver& observer, TrainingRequests& requests);

}  // namespace gausscse
