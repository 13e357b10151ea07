#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "training/progress_recorder.hpp"

namespace gausscse {

/// Thread that has a training's progress file written again while work is done that has no steps: data are read, models
/// are measured, results are written (see `ProgressRecorder::renew`).
class ProgressRenewal {
 public:
  /// Starts the thread. `recorder` must outlive this. `interval` lies between two looks.
  explicit ProgressRenewal(ProgressRecorder& recorder, std::chrono::milliseconds interval = std::chrono::seconds(3));
  ~ProgressRenewal();
  ProgressRenewal(const ProgressRenewal&) = delete;
  ProgressRenewal& operator=(const ProgressRenewal&) = delete;

 private:
  ProgressRecorder& recorder_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace gausscse
