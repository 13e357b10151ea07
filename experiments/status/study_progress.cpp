#include "experiments/status/study_progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "experiments/study/study_layout.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

/// A title keeps this many characters where there is room for any.
constexpr std::size_t shortest_title = 8;

std::size_t longest_of(const std::vector<std::string>& texts) {
  std::size_t longest = 0;
  for (const std::string& text : texts) longest = std::max(longest, columns_of(text));
  return longest;
}

/// Returns a rate with three digits at least.
std::string rate_text(double rate) {
  char text[48];
  std::snprintf(text, sizeof text, rate < 10 ? "%.2f" : rate < 100 ? "%.1f" : "%.0f", rate);
  return text;
}

}  // namespace

std::string lost_checkpoints_text(const TrainingProgress& progress) {
  if (progress.checkpoint_problem.empty()) return "";
  return concat("has written no checkpoint since ", utc_text(progress.checkpoints_lost_since), ": ",
                progress.checkpoint_problem);
}

std::string position_text(const std::optional<TrainingProgress>& progress, std::optional<double> seconds) {
  if (!progress || progress->phase == TrainingPhase::preparing)
    return seconds ? concat("preparing  ", readable_duration(*seconds)) : "preparing";
  std::string text = concat("step ", progress->step, "/", progress->total_steps);
  if (progress->phase == TrainingPhase::finishing) return text + "  finishing";
  if (std::isfinite(progress->examples_per_second))
    text += concat("  ", rate_text(progress->examples_per_second), " examples/s");
  if (std::isfinite(progress->seconds_left)) text += concat("  ", readable_duration(progress->seconds_left), " left");
  if (progress->loss) text += concat("  loss ", fixed_text(*progress->loss, 4));
  return text;
}

std::string study_text(const WorkerProgress& progress) {
  const std::size_t ended = progress.done + progress.failed, begun = ended + progress.here + progress.elsewhere;
  // The plan may have become smaller.
  const std::size_t all = std::max(progress.trials, begun);
  std::string text = concat(progress.done, " of ", all, all == 1 ? " trial done" : " trials done");
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) text += concat(", ", count, " ", what);
  };
  add(progress.failed, "failed");
  add(progress.here, "running");
  add(progress.elsewhere, "on other workers");
  add(all - begun, "to do");
  if (progress.seconds_left && ended < all) text += concat("; ", readable_duration(*progress.seconds_left), " left");
  return text;
}

std::vector<std::string> study_lines(const WorkerProgress& progress, TerminalSize size) {
  const std::vector<WorkerProgress::Running>& running = progress.running;
  // A character in the last column would let some terminals go on in the next row.
  const std::size_t width = std::max<std::size_t>(size.columns, 2) - 1;
  const std::size_t room = size.rows > 3 ? size.rows - 2 : 1;
  const bool all_fit = running.size() <= room;
  const std::size_t shown = all_fit ? running.size() : room - 1;
  std::vector<std::string> titles, positions;
  for (std::size_t i = 0; i < shown; ++i) {
    titles.push_back(visible_text(running[i].title));
    positions.push_back(position_text(running[i].progress, running[i].seconds));
  }
  const std::size_t behind = longest_of(positions) + 2;
  const std::size_t title_width =
      std::min(longest_of(titles), std::max(shortest_title, width > behind ? width - behind : 0));
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < shown; ++i)
    lines.push_back(cut_to_columns(concat(filled_to_columns(titles[i], title_width), "  ", positions[i]), width));
  if (!all_fit) lines.push_back(cut_to_columns(concat("and ", running.size() - shown, " more"), width));
  lines.push_back(cut_to_columns(study_text(progress), width));
  return lines;
}

std::string drawing_of(const std::vector<std::string>& lines) {
  return joined(lines, "\n", [](const std::string& line) { return "\r\033[K" + line; });
}

std::string erasure_of(const std::vector<std::string>& lines, TerminalSize size) {
  if (lines.empty()) return "";
  const std::size_t width = std::max<std::size_t>(size.columns, 1);
  std::size_t rows = 0;
  for (const std::string& line : lines) rows += std::max<std::size_t>(1, (columns_of(line) + width - 1) / width);
  rows = std::min(rows, std::max<std::size_t>(size.rows, 1));
  return rows > 1 ? concat("\r\033[", rows - 1, "A\033[J") : std::string("\r\033[J");
}

namespace {

constexpr std::chrono::seconds between_log_lines(30);
constexpr std::chrono::milliseconds between_drawings(500);

void draw_on_standard_error(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

StudyProgressOutput standard_error_output(StudyProgressOutput::Write log, StudyProgressOutput::Write warn) {
  return {.terminal = is_drawing_terminal(STDERR_FILENO),
          .log = std::move(log),
          .warn = std::move(warn),
          .draw = draw_on_standard_error,
          .size = [] { return size_of_terminal(STDERR_FILENO); }};
}

bool StudyProgress::is_due() const {
  if (!shown_ || !last_shown_) return shown_;
  const Clock::duration since = now_() - *last_shown_;
  return output_.terminal ? since >= between_drawings : since >= between_log_lines;
}

void StudyProgress::on_progress(const WorkerProgress& progress) {
  if (!is_due()) return;
  last_shown_ = now_();
  if (!output_.terminal) {
    output_.log(study_text(progress));
    return;
  }
  WorkerProgress with_trials = progress;
  for (WorkerProgress::Running& trial : with_trials.running)
    trial.progress = read_progress(trial.folder / study_layout::progress);
  const TerminalSize size = output_.size();
  std::vector<std::string> lines = study_lines(with_trials, size);
  // In one piece: nothing flickers.
  output_.draw(erasure_of(drawn_, size) + drawing_of(lines));
  drawn_ = std::move(lines);
}

/// Writes a line of the log: the drawing is away meanwhile, and there again below it.
void StudyProgress::write_past(const StudyProgressOutput::Write& write, const std::string& text) {
  std::vector<std::string> lines = drawn_;
  erase();
  write(text);
  if (lines.empty()) return;
  output_.draw(drawing_of(lines));
  drawn_ = std::move(lines);
}

void StudyProgress::erase() {
  if (!drawn_.empty()) output_.draw(erasure_of(drawn_, output_.size()));
  drawn_.clear();
}

}  // namespace gausscse
