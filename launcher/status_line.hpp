#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "base/text.hpp"

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

}  // namespace gausscse
