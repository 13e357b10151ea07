#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "training/training_observer.hpp"

namespace gausscse {

/// Display of the progress of a long piece of work: on a terminal one line that is drawn again, in a job's log a plain
/// line every half minute.
class StatusLine {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = std::function<Clock::time_point()>;

  /// Makes a display. `shown` is for rank 0, unless it is to be quiet; `now` reads the clock.
  StatusLine(bool shown, bool terminal, Now now = Clock::now)
      : shown_(shown), terminal_(terminal), now_(std::move(now)) {}
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  ~StatusLine() { erase(); }

  /// Returns whether the time for another line has come; the first and the last are always due.
  bool due(bool last);
  /// Shows `text`; on a terminal the last one vanishes.
  void show(const std::string& text, bool last);
  /// Makes room for other lines.
  void erase();

 private:
  bool shown_;
  bool terminal_;
  Now now_;
  bool drawn_ = false;
  Clock::time_point last_due_{};
};

/// Display of the progress in a file: lines or rows that are read, their rate and the time that is left at it.
class EmbeddingProgress {
 public:
  /// Begins the time. `shown` and `terminal` are StatusLine's; `now` reads the clock;
  /// `unit` is the word for the lines.
  EmbeddingProgress(bool shown, bool terminal, std::size_t lines, StatusLine::Now now = StatusLine::Clock::now,
                    const char* unit = "lines");

  /// Shows that `lines_done` of the lines are done.
  void on_block(std::size_t lines_done);

 private:
  StatusLine line_;
  std::size_t lines_;
  const char* unit_;
  StatusLine::Now now_;
  StatusLine::Clock::time_point start_;
};

/// Shows a training to people: a status line with rate, time left, loss and the last measurement. Rank 0 only; notes go
/// to the log.
class Progress : public TrainingObserver {
 public:
  /// Makes a display with the settings of a StatusLine.
  Progress(bool shown, bool terminal, StatusLine::Now now = StatusLine::Clock::now);

  void on_detail(const std::string& text) override;
  void on_note(const std::string& text) override;
  void on_warning(const std::string& text) override;
  void on_resumed(const RunResult& done, std::int64_t total_steps) override;
  void on_backbone(const StateResult& backbone, std::optional<PoolingKind> pooling) override;
  void on_embedded(std::size_t done, std::size_t sentences) override;
  void on_step(const StepReport& report) override;
  void on_measurement(std::int64_t step, const Measurement& measurement, const Metric* selecting, bool best) override;

 private:
  using Clock = StatusLine::Clock;

  /// Returns "; auprc: backbone 0.6405, at step 0 0.6001, now 0.5860": a metric after `step` steps next to its values
  /// before the training; empty where these are not known.
  std::string comparison_text(std::int64_t step, const std::string& task, const Metric& metric) const;
  /// Returns the seconds of a step, evaluations between steps included; the one before the first step is not.
  double seconds_a_step(const StepReport& report, Clock::time_point now) const;

  bool shown_, terminal_;
  StatusLine::Now now_;
  StatusLine line_;
  std::int64_t first_step_ = -1;  ///< seen by this process
  Clock::time_point first_step_end_{};
  double examples_per_second_ = 0;              ///< smoothed
  std::optional<EmbeddingProgress> embedding_;  ///< while sentences go through an encoder that is not trained
  std::vector<Measurement> backbone_;           ///< its metrics; empty where it was not measured
  std::vector<Measurement> at_step_0_;          ///< metrics of the untrained state
  std::string metric_;                          ///< metric that selects, else the first one of the last measurement
  bool selecting_seen_ = false;
};

}  // namespace gausscse
