#pragma once

#include <chrono>
#include <string>

namespace gausscse {

/// How a long piece of work shows people where it is: on a terminal one line that is drawn again, in a job's log a
/// plain line every half minute.
class StatusLine {
 public:
  /// `shown` is for rank 0, unless it is to be quiet.
  StatusLine(bool shown, bool terminal) : shown_(shown), terminal_(terminal) {}
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  ~StatusLine() { erase(); }

  /// Whether the time for another line has come; the first and the last are always due.
  bool due(bool last);
  /// Shows `text`; on a terminal the last one vanishes.
  void show(const std::string& text, bool last);
  /// Makes room for other lines.
  void erase();

 private:
  using Clock = std::chrono::steady_clock;

  bool shown_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point last_due_{};
};

/// A duration as people read it: 45s, 3m10s, 2h05m.
std::string readable_duration(double seconds);

}  // namespace gausscse
