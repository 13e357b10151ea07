#include "launcher/progress.hpp"

#include <spdlog/spdlog.h>

#include <cmath>
#include <cstdio>
#include <utility>

#include "base/error.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

/// Weight of the newest step in the smoothed rate.
constexpr double newest_weight = 0.1;
/// Number of metrics of a measurement that the log prints; the others are in the result.
constexpr int most_figures = 6;

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
  const double rate = report.examples_per_second;
  examples_per_second_ =
      examples_per_second_ == 0 ? rate : (1 - newest_weight) * examples_per_second_ + newest_weight * rate;
  const bool last = report.step + 1 == report.total_steps;
  if (!line_.due(last)) return;
  const std::int64_t done = report.step + 1;
  const double left = seconds_a_step(report, now) * static_cast<double>(report.total_steps - done);
  char text[256];
  std::snprintf(text, sizeof text, "step %ld/%ld  %.0f examples/s  %s left  loss %.4f%s%s", static_cast<long>(done),
                static_cast<long>(report.total_steps), examples_per_second_, readable_duration(left).c_str(),
                report.loss, figure_.empty() ? "" : "  ", figure_.c_str());
  line_.show(text, last);
}

void Progress::on_measurement(std::int64_t step, const Measurement& measurement, const Figure* selecting, bool best) {
  std::string figures;
  int told = 0;
  for (const Figure& figure : measurement.figures) {
    const bool of_a_part = figure.name.find('.') != std::string::npos;
    if (figure.unit == Unit::count || of_a_part || std::isnan(figure.value) || told == most_figures) continue;
    figures += concat(told++ == 0 ? "" : ", ", figure.name, " ", fixed_text(figure.value, 4));
    if (!selecting && !selecting_seen_ && told == 1) figure_ = concat(measurement.task, " ", figures);
  }
  if (selecting) {
    selecting_seen_ = true;
    figure_ = concat(measurement.task, " ", selecting->name, " ", fixed_text(selecting->value, 4));
  }
  on_note(concat(measurement.task, " after ", step, " steps: ", figures, best ? " (best)" : ""));
}

}  // namespace gausscse
