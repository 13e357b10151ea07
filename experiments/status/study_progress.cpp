#include "experiments/status/study_progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "base/process.hpp"

namespace gausscse {

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

}  // namespace gausscse
