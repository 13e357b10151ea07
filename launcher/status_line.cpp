#include "launcher/status_line.hpp"

#include <spdlog/spdlog.h>

#include <cstdio>

#include "base/text.hpp"

namespace gausscse {

namespace {

constexpr std::chrono::duration<double> between_lines(30);
constexpr std::chrono::duration<double> between_drawings(0.2);

}  // namespace

bool StatusLine::due(bool last) {
  if (!shown_) return false;
  const auto now = now_();
  const bool first = last_due_ == Clock::time_point{};
  if (!last && !first && now - last_due_ < (terminal_ ? between_drawings : between_lines)) return false;
  last_due_ = now;
  return true;
}

void StatusLine::show(const std::string& text, bool last) {
  if (!terminal_) {
    spdlog::info(text);
    return;
  }
  std::fprintf(stderr, "\r\033[K%s", visible_text(text).c_str());
  std::fflush(stderr);
  drawn_ = true;
  if (last) erase();
}

void StatusLine::erase() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

}  // namespace gausscse
