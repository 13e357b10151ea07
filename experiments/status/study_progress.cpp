#include "experiments/status/study_progress.hpp"

#include <sys/ioctl.h>
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

namespace gausscse {

namespace {

/// A title keeps this many characters where there is room for any.
constexpr std::size_t shortest_title = 8;

bool continues_a_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

/// Characters of UTF-8, each of them a column.
std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !continues_a_character(byte); }));
}

/// Returns the first characters of a visible text, filled up with spaces.
std::string cut_or_filled(const std::string& text, std::size_t columns) {
  std::string result;
  std::size_t used = 0;
  for (const char byte : text) {
    if (!continues_a_character(byte) && used++ == columns) return result;
    result += byte;
  }
  return result + std::string(columns - used, ' ');
}

std::string cut(const std::string& text, std::size_t columns) {
  return cut_or_filled(text, std::min(columns, columns_of(text)));
}

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

std::string position_text(const RunningTrial& trial) {
  if (!trial.progress || trial.progress->phase == TrainingPhase::preparing)
    return trial.seconds ? concat("preparing  ", readable_duration(*trial.seconds)) : "preparing";
  const TrainingProgress& progress = *trial.progress;
  const std::string steps = concat("step ", progress.step, "/", progress.total_steps);
  if (progress.phase == TrainingPhase::finishing) return concat(steps, "  finishing");
  std::string text = steps;
  if (std::isfinite(progress.examples_per_second))
    text += concat("  ", rate_text(progress.examples_per_second), " examples/s");
  if (std::isfinite(progress.seconds_left)) text += concat("  ", readable_duration(progress.seconds_left), " left");
  return text;
}

std::string study_text(const StudyCounts& counts) {
  const std::size_t all = counts.done + counts.failed + counts.running + counts.elsewhere + counts.left;
  std::string text = concat(counts.done, " of ", all, all == 1 ? " trial done" : " trials done");
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) text += concat(", ", count, " ", what);
  };
  add(counts.failed, "failed");
  add(counts.running, "running");
  add(counts.elsewhere, "on other workers");
  add(counts.left, "to do");
  if (counts.seconds_left && counts.done + counts.failed < all)
    text += concat("; ", readable_duration(*counts.seconds_left), " left");
  return text;
}

std::string begun_text(const std::string& title) {
  return concat(title, " begins");
}

std::string done_text(const std::string& title, double seconds, const std::string& figure) {
  return concat(title, " is done after ", readable_duration(seconds), figure.empty() ? "" : ": ", figure);
}

std::string failed_text(const std::string& title, double seconds, const std::string& reason) {
  return concat(title, " has failed after ", readable_duration(seconds), ": ", reason);
}

std::vector<std::string> study_lines(const std::vector<RunningTrial>& running, const StudyCounts& counts,
                                     TerminalSize size) {
  // A character in the last column would let some terminals go on in the next row.
  const std::size_t width = std::max<std::size_t>(size.columns, 2) - 1;
  const std::size_t room = size.rows > 3 ? size.rows - 2 : 1;
  const bool all_fit = running.size() <= room;
  const std::size_t shown = all_fit ? running.size() : room - 1;
  std::vector<std::string> titles, positions;
  for (std::size_t i = 0; i < shown; ++i) {
    titles.push_back(visible_text(running[i].title));
    positions.push_back(position_text(running[i]));
  }
  const std::size_t behind = longest_of(positions) + 2;
  const std::size_t title_width =
      std::min(longest_of(titles), std::max(shortest_title, width > behind ? width - behind : 0));
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < shown; ++i)
    lines.push_back(cut(concat(cut_or_filled(titles[i], title_width), "  ", positions[i]), width));
  if (!all_fit) lines.push_back(cut(concat("and ", running.size() - shown, " more"), width));
  lines.push_back(cut(study_text(counts), width));
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

TerminalSize size_of_terminal() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row};
}

}  // namespace

StudyProgressOutput standard_error_output(std::function<void(const std::string&)> log) {
  StudyProgressOutput output;
  output.terminal = is_drawing_terminal(STDERR_FILENO);
  output.log = std::move(log);
  output.draw = [](const std::string& text) {
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
  };
  output.size = size_of_terminal;
  return output;
}

bool StudyProgress::due() const {
  if (!shown_) return false;
  if (!was_shown_) return true;
  const Clock::duration since = now_() - last_shown_;
  return output_.terminal ? since >= between_drawings : since >= between_log_lines;
}

void StudyProgress::show(const std::vector<RunningTrial>& running, const StudyCounts& counts) {
  if (!shown_) return;
  was_shown_ = true;
  last_shown_ = now_();
  if (!output_.terminal) {
    output_.log(study_text(counts));
    return;
  }
  const TerminalSize size = output_.size();
  std::vector<std::string> lines = study_lines(running, counts, size);
  // In one piece: nothing flickers.
  output_.draw(erasure_of(drawn_, size) + drawing_of(lines));
  drawn_ = std::move(lines);
}

void StudyProgress::tell(const std::string& text) {
  write_past([&] { output_.log(text); });
}

void StudyProgress::write_past(const std::function<void()>& write) {
  const std::vector<std::string> lines = drawn_;
  erase();
  write();
  if (lines.empty()) return;
  output_.draw(drawing_of(lines));
  drawn_ = lines;
}

void StudyProgress::erase() {
  if (!drawn_.empty()) output_.draw(erasure_of(drawn_, output_.size()));
  drawn_.clear();
}

void ShownWorker::on_note(const std::string& text) {
  progress_.write_past([&] { note_(text); });
}

void ShownWorker::on_warning(const std::string& text) {
  progress_.write_past([&] { warn_(text); });
}

void ShownWorker::on_progress(const WorkerProgress& progress) {
  if (!progress_.due()) return;
  std::vector<RunningTrial> running;
  for (const WorkerProgress::Running& trial : progress.running)
    running.push_back({trial.title, trial.seconds, read_progress(trial.folder / study_layout::progress)});
  StudyCounts counts;
  counts.done = progress.done;
  counts.failed = progress.failed;
  counts.running = progress.here;
  counts.elsewhere = progress.elsewhere;
  const std::size_t begun = counts.done + counts.failed + counts.running + counts.elsewhere;
  counts.left = progress.trials > begun ? progress.trials - begun : 0;
  counts.seconds_left = progress.seconds_left;
  progress_.show(running, counts);
}

}  // namespace gausscse
