#pragma once

#include <cstddef>

#include "launcher/status_line.hpp"

namespace gausscse {

/// Shows how far the lines of a file are embedded: lines done, their rate and the time that is left at it.
class EmbeddingProgress {
 public:
  /// Begins the time. `shown` and `terminal` are StatusLine's; `now` reads the clock.
  EmbeddingProgress(bool shown, bool terminal, std::size_t lines, StatusLine::Now now = StatusLine::Clock::now);

  /// Shows that `lines_done` of the lines are done.
  void on_block(std::size_t lines_done);

 private:
  StatusLine line_;
  std::size_t lines_;
  StatusLine::Now now_;
  StatusLine::Clock::time_point start_;
};

}  // namespace gausscse
