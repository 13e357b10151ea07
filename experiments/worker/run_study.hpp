#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/status/worker_observer.hpp"
#include "experiments/worker/stop_requests.hpp"
#include "experiments/worker/trial_attempt.hpp"

namespace gausscse {

/// Options of `gausscse run` for a worker of a study.
struct StudyRunOptions {
  std::filesystem::path manifest, results;
  std::vector<std::string> only = {};  ///< see TrialSelection
  std::string stage = {};              ///< empty: all
  std::int64_t max_trials = 0;         ///< 0: any number
  bool fail_fast = false;
  bool retry_failed = false;
  int machine_failures = 3;          ///< see WorkerSettings
  double lease = 120;                ///< seconds
  double silence = default_silence;  ///< seconds, see AttemptSettings
  bool is_mps_served = false;        ///< true if NVIDIA's MPS serves the GPUs of this node
  /// Program that is started to train; empty: this program.
  std::filesystem::path train_program = {};
};

/// Returns the program that trains, by an absolute path. Throws InputError where the one that was given cannot be
/// started.
std::filesystem::path program_that_trains(const StudyRunOptions& options);

/// Works on a study until nothing is left to do, as `Worker::run` does, and gives its exit code. Throws as it does, and
/// InputError for a manifest, an option or a folder that cannot be used.
int run_study(const StudyRunOptions& options, const StopRequests& stop, WorkerObserver& observer);

}  // namespace gausscse
