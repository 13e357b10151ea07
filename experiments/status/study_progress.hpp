#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/status/study_progress_text.hpp"

namespace gausscse {

/// Where people see a running study.
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

}  // namespace gausscse
