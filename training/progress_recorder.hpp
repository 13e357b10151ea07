#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "results/training_reports.hpp"
#include "training/forwarding_observer.hpp"

namespace gausscse {

/// Writer of a training's progress to a file, for programs. It writes when outputs have been looked at, at the first
/// and last step, else once a second at most, and while work is done between steps (`renew`). All that is observed goes
/// on to another observer. A file that cannot be written is worth one warning, and no failure.
class ProgressRecorder : public ForwardingObserver {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = std::function<Clock::time_point()>;

  /// Makes a recorder. `file` is for rank 0, empty elsewhere: nothing is written then. `now` reads the clock.
  ProgressRecorder(TrainingObserver& observer, std::filesystem::path file, Now now = Clock::now);

  void on_outputs_checked() override;
  void on_step(const StepReport& report) override;
  void on_early_end(const std::string& where_and_why) override;
  void on_checkpoint_state(const std::string& problem) override;

  /// Writes the file again if this process has done work (`count_work`) since it was last written, so that a training
  /// which reads, measures or writes for long differs from one that hangs. Nothing happens before the first writing,
  /// and a failure is passed over. Any thread may call it.
  void renew();

 private:
  void take_in(const StepReport& report, Clock::time_point now);
  void write();
  void write_now();

  std::filesystem::path file_;
  Now now_;
  TrainingProgress progress_;
  std::int64_t first_step_ = -1;  ///< seen by this process
  Clock::time_point first_step_end_{};
  Clock::time_point last_write_{};
  bool warned_ = false;
  std::mutex mutex_;  ///< guards the members below and `progress_`
  bool has_begun_ = false;
  std::uint64_t work_seen_ = 0;
};

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
