#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "results/progress_file.hpp"

/// Texts that people are shown of a running study.
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

}  // namespace gausscse
