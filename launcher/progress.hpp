#pragma once

#include <chrono>
#include <string>

#include "launcher/status_line.hpp"
#include "training/training_observer.hpp"

namespace gausscse {

/// Shows a training to people: a status line with rate, time left, loss and the last measurement. Rank 0 only; notes go
/// to the log.
class Progress : public TrainingObserver {
 public:
  /// Makes a display with the settings of a StatusLine.
  Progress(bool shown, bool terminal, StatusLine::Now now = StatusLine::Clock::now);

  void on_detail(const std::string& text) override;
  void on_note(const std::string& text) override;
  void on_warning(const std::string& text) override;
  void on_step(const StepReport& report) override;
  void on_measurement(std::int64_t step, const Measurement& measurement, const Figure* selecting, bool best) override;

 private:
  using Clock = StatusLine::Clock;

  /// Returns what a step takes, evaluations between steps included; the one before the first step is not.
  double seconds_a_step(const StepReport& report, Clock::time_point now) const;

  StatusLine::Now now_;
  StatusLine line_;
  std::int64_t first_step_ = -1;  ///< seen by this process
  Clock::time_point first_step_end_{};
  double examples_per_second_ = 0;  ///< smoothed
  std::string figure_;              ///< metric that selects, else the first one of the last measurement
  bool selecting_seen_ = false;
};

}  // namespace gausscse
