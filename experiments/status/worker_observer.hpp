#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "results/training_reports.hpp"

namespace gausscse {

/// Progress of a worker's study. A trial of two stages is counted with each, as status and tables do.
struct WorkerProgress {
  struct Running {
    std::string title;
    std::filesystem::path folder;
    double seconds = 0;                             ///< since it was started
    std::optional<TrainingProgress> progress = {};  ///< read from its folder when it is shown
  };

  std::size_t trials = 0;  ///< number of those that the worker was asked for
  std::size_t done = 0, failed = 0;
  std::size_t here = 0;       ///< run by this worker
  std::size_t elsewhere = 0;  ///< held by other workers
  std::vector<Running> running;
  std::optional<double> seconds_left;  ///< until all are done, where the time of all is known
};

/// Observer of a worker.
class WorkerObserver {
 public:
  WorkerObserver() = default;
  WorkerObserver(const WorkerObserver&) = delete;
  WorkerObserver& operator=(const WorkerObserver&) = delete;
  virtual ~WorkerObserver() = default;

  virtual void on_note(const std::string& text) = 0;
  virtual void on_warning(const std::string& text) = 0;
  /// Receives progress, often.
  virtual void on_progress(const WorkerProgress& progress) = 0;
};

}  // namespace gausscse
