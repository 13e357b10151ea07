#pragma once

#include <chrono>
#include <string>

#include "experiments/training/training_observer.hpp"

namespace gausscse {

/// Shows a training to people: on a terminal one line that is drawn again, with rate, time left, loss and the last dev
/// figure; in a job's log a plain line every half minute. Rank 0 only; notes go to the log.
class Progress : public TrainingObserver {
 public:
  Progress(bool shown, bool terminal);
  ~Progress() override;

  void on_note(const std::string& text) override;
  void on_warning(const std::string& text) override;
  void on_step(const StepReport& report) override;
  void on_dev(std::int64_t step, const NliMetrics& metrics, bool best) override;

 private:
  void erase_line();

  using Clock = std::chrono::steady_clock;
  bool shown_;
  bool terminal_;
  bool line_drawn_ = false;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_shown_{};
  double triples_per_second_ = 0;  ///< smoothed
  std::string dev_;
};

/// A duration as people read it: 45s, 3m10s, 2h05m.
std::string readable_duration(double seconds);

}  // namespace gausscse
