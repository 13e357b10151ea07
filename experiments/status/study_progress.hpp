#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/status/worker_observer.hpp"
#include "results/training_reports.hpp"

namespace gausscse {

/// A trial that runs on this worker.
struct RunningTrial {
  std::string title;
  std::optional<double> seconds;             ///< since it was started
  std::optional<TrainingProgress> progress;  ///< nothing while it has reported none
};

/// Trials of a study, or of the part of it that the worker was asked for.
struct StudyCounts {
  std::size_t done = 0, failed = 0;
  std::size_t running = 0;             ///< on this worker
  std::size_t elsewhere = 0;           ///< on other workers
  std::size_t left = 0;                ///< not begun
  std::optional<double> seconds_left;  ///< until all are done, where it is known
};

/// Returns "step 120/2000  64 examples/s  3m10s left", "preparing  12s".
std::string position_text(const RunningTrial& trial);

/// Returns "has written no checkpoint since 2026-01-31T12:00:00Z: the checkpoint of step 12 is lost: ..."; empty
/// where the last checkpoint was written.
std::string lost_checkpoints_text(const TrainingProgress& progress);

/// Returns "3 of 12 trials done, 1 failed, 2 running, 4 on other workers, 2 to do; 2h05m left"; what is none is left
/// out.
std::string study_text(const StudyCounts& counts);

/// Returns "TITLE begins"
std::string begun_text(const std::string& title);
/// Returns "TITLE is done after 3m10s: dev.auprc 0.8125"; without a metric where it is empty.
std::string done_text(const std::string& title, double seconds, const std::string& figure);
/// Returns "TITLE has failed after 12s: exit code 2: ..."
std::string failed_text(const std::string& title, double seconds, const std::string& reason);

/// A terminal's size in characters.
struct TerminalSize {
  std::size_t columns = 80, rows = 24;
};

/// Returns a line for each running trial and one for the study, for a terminal of this size: all lines in columns,
/// titles cut rather than what stands behind them, no line longer than the terminal is wide, and trials left out where
/// it is not high enough.
std::vector<std::string> study_lines(const std::vector<RunningTrial>& running, const StudyCounts& counts,
                                     TerminalSize size);

/// Puts the lines on a terminal whose cursor is at the begin of a line; it is at the end of the last one then.
std::string drawing_of(const std::vector<std::string>& lines);

/// Takes them away, and leaves the cursor where it was before. The terminal may have become narrower meanwhile, so that
/// a line takes several rows.
std::string erasure_of(const std::vector<std::string>& lines, TerminalSize size);

/// Output that shows people a running study.
struct StudyProgressOutput {
  bool terminal = false;                         ///< true if lines can be drawn again
  std::function<void(const std::string&)> log;   ///< writes a line of the log
  std::function<void(const std::string&)> draw;  ///< writes as it is; for a terminal alone
  std::function<TerminalSize()> size;            ///< size of the terminal, now
};

/// Returns the output to standard error, with its log by `log`.
StudyProgressOutput standard_error_output(std::function<void(const std::string&)> log);

/// Display of the progress of a running study: on a terminal lines for its trials and for the whole that are drawn
/// again in place, in a job's log a line for the whole every half minute. One line reports each trial that begins or
/// ends, either way.
class StudyProgress {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = std::function<Clock::time_point()>;

  /// Makes a display. `shown` is false where it is to be quiet; `now` reads the clock.
  StudyProgress(bool shown, StudyProgressOutput output, Now now = Clock::now)
      : shown_(shown), output_(std::move(output)), now_(std::move(now)) {}
  StudyProgress(const StudyProgress&) = delete;
  StudyProgress& operator=(const StudyProgress&) = delete;
  ~StudyProgress() { erase(); }

  /// Returns whether the time to show the study again has come. Ask before reading what there is to show.
  bool due() const;
  /// Shows where the study is, whether that is due or not.
  void show(const std::vector<RunningTrial>& running, const StudyCounts& counts);
  /// Lets others write to the log: what is drawn is away meanwhile, and there again behind it.
  void write_past(const std::function<void()>& write);
  /// Writes a line in the log, in that way.
  void tell(const std::string& text);
  /// Takes away what is drawn, for others that write to the terminal, until it is shown again.
  void erase();

 private:
  bool shown_;
  StudyProgressOutput output_;
  Now now_;
  bool was_shown_ = false;
  Clock::time_point last_shown_{};
  std::vector<std::string> drawn_;
};

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
