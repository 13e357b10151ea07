#include "launcher/progress.hpp"

#include <spdlog/spdlog.h>

#include <cstdio>
#include <utility>

namespace gausscse {

namespace {

/// Weight of the newest step in the smoothed rate.
constexpr double newest_weight = 0.1;

double seconds_since(std::chrono::steady_clock::time_point begin, std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

Progress::Progress(bool shown, bool terminal, StatusLine::Now now)
    : now_(std::move(now)), line_(shown, terminal, now_) {}

void Progress::on_detail(const std::string& text) {
  if (spdlog::should_log(spdlog::level::debug)) line_.erase();
  spdlog::debug(text);
}

void Progress::on_note(const std::string& text) {
  line_.erase();
  spdlog::info(text);
}

void Progress::on_warning(const std::string& text) {
  line_.erase();
  spdlog::warn(text);
}

double Progress::seconds_a_step(const StepReport& report, Clock::time_point now) const {
  if (report.step == first_step_) return report.seconds;
  return seconds_since(first_step_end_, now) / static_cast<double>(report.step - first_step_);
}

void Progress::on_step(const StepReport& report) {
  const auto now = now_();
  if (first_step_ < 0) {
    first_step_ = report.step;
    first_step_end_ = now;
  }
  const double rate = report.triples_per_second;
  triples_per_second_ =
      triples_per_second_ == 0 ? rate : (1 - newest_weight) * triples_per_second_ + newest_weight * rate;
  const bool last = report.step + 1 == report.total_steps;
  if (!line_.due(last)) return;
  const std::int64_t done = report.step + 1;
  const double left = seconds_a_step(report, now) * static_cast<double>(report.total_steps - done);
  char text[256];
  std::snprintf(text, sizeof text, "step %ld/%ld  %.0f triples/s  %s left  loss %.4f%s%s", static_cast<long>(done),
                static_cast<long>(report.total_steps), triples_per_second_, readable_duration(left).c_str(),
                report.loss, dev_.empty() ? "" : "  ", dev_.c_str());
  line_.show(text, last);
}

void Progress::on_dev(std::int64_t step, const NliMetrics& metrics, bool best) {
  char text[256];
  std::snprintf(text, sizeof text, "dev AUPRC %.4f", metrics.auprc);
  dev_ = text;
  std::snprintf(text, sizeof text,
                "dev after %ld steps: AUPRC %.4f, accuracy %.4f, direction by sim %.4f, by var %.4f%s",
                static_cast<long>(step), metrics.auprc, metrics.accuracy, metrics.direction_sim, metrics.direction_var,
                best ? " (best)" : "");
  on_note(text);
}

}  // namespace gausscse
