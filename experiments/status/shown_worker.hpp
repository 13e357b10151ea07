#pragma once

#include <functional>
#include <string>
#include <utility>

#include "experiments/status/study_progress.hpp"
#include "experiments/status/worker_observer.hpp"

namespace gausscse {

/// Shows people what a worker does: notes and warnings as they come, and where its study is when that is due, with what
/// the progress files of its running trials say.
class ShownWorker : public WorkerObserver {
 public:
  using Tell = std::function<void(const std::string&)>;

  /// Shows a worker by `progress`; `note` and `warn` write a line of the log each.
  ShownWorker(StudyProgress& progress, Tell note, Tell warn)
      : progress_(progress), note_(std::move(note)), warn_(std::move(warn)) {}

  void on_note(const std::string& text) override;
  void on_warning(const std::string& text) override;
  void on_progress(const WorkerProgress& progress) override;

 private:
  StudyProgress& progress_;
  Tell note_, warn_;
};

}  // namespace gausscse
