#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/terminal.hpp"
#include "experiments/status/worker_observer.hpp"

namespace gausscse {

/// Returns "step 120/2000  64 examples/s  3m10s left", "preparing  12s"; `seconds` since the training was started.
std::string position_text(const std::optional<TrainingProgress>& progress, std::optional<double> seconds);

/// Returns "has written no checkpoint since 2026-01-31T12:00:00Z: the checkpoint of step 12 is lost: ..."; empty
/// where the last checkpoint was written.
std::string lost_checkpoints_text(const TrainingProgress& progress);

/// Returns "3 of 12 trials done, 1 failed, 2 running, 4 on other workers, 2 to do; 2h05m left" without the parts whose
/// number is zero.
std::string study_text(const WorkerProgress& progress);

/// Returns a line for each running trial and one for the study, for a terminal of this size. All lines are in columns,
/// and none is longer than the terminal is wide: titles are cut, not the numbers behind them. Trials are left out where
/// it is not high enough.
std::vector<std::string> study_lines(const WorkerProgress& progress, TerminalSize size);

/// Puts the lines on a terminal whose cursor is at the begin of a line; it is at the end of the last one then.
std::string drawing_of(const std::vector<std::string>& lines);

/// Takes them away, and leaves the cursor where it was before. The terminal may have become narrower meanwhile, so that
/// a line takes several rows.
std::string erasure_of(const std::vector<std::string>& lines, TerminalSize size);

/// Output that shows people a running study.
struct StudyProgressOutput {
  using Write = std::function<void(const std::string&)>;

  bool terminal = false;               ///< true if lines can be drawn again
  Write log, warn;                     ///< each writes a line of the log
  Write draw;                          ///< writes as it is; for a terminal alone
  std::function<TerminalSize()> size;  ///< size of the terminal, now
};

/// Returns the output to standard error, with its log by `log` and `warn`.
StudyProgressOutput standard_error_output(StudyProgressOutput::Write log, StudyProgressOutput::Write warn);

/// Display of a worker: notes and warnings as they come, and the progress of its study and, from their progress files,
/// of its trials. On a terminal that is a line for each trial and one for the study, drawn again in place; in a job's
/// log a line for the study every half minute.
class StudyProgress : public WorkerObserver {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = std::function<Clock::time_point()>;

  /// Makes a display. `shown` is false where no progress is to be shown; `now` reads the clock.
  StudyProgress(bool shown, StudyProgressOutput output, Now now = Clock::now)
      : shown_(shown), output_(std::move(output)), now_(std::move(now)) {}
  ~StudyProgress() override { erase(); }

  void on_note(const std::string& text) override { write_past(output_.log, text); }
  void on_warning(const std::string& text) override { write_past(output_.warn, text); }
  void on_progress(const WorkerProgress& progress) override;

 private:
  bool is_due() const;
  void write_past(const StudyProgressOutput::Write& write, const std::string& text);
  void erase();

  bool shown_;
  StudyProgressOutput output_;
  Now now_;
  std::optional<Clock::time_point> last_shown_;
  std::vector<std::string> drawn_;
};

}  // namespace gausscse
