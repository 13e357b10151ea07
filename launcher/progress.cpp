#include "launcher/progress.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "results/text_table.hpp"

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
  // A line that went on in the next row could not be drawn again. The last column would let some terminals do that.
  const std::size_t width = size_of_terminal(STDERR_FILENO).columns - 1;
  std::fprintf(stderr, "\r\033[K%s", cut_to_columns(visible_text(text), width).c_str());
  std::fflush(stderr);
  drawn_ = true;
  if (last) erase();
}

void StatusLine::erase() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

namespace {

/// Weight of the newest step in the smoothed rate.
constexpr double newest_weight = 0.1;
/// Number of metrics of a measurement that the log prints; the others are in the result.
constexpr std::size_t most_metrics = 6;

/// Returns the first metrics that are no counts and none of parts.
std::vector<Metric> printed_metrics(const std::vector<Metric>& metrics) {
  std::vector<Metric> printed;
  for (const Metric& metric : metrics) {
    const bool of_a_part = metric.name.find('.') != std::string::npos;
    if (metric.unit == Unit::count || of_a_part || std::isnan(metric.value)) continue;
    if (printed.size() < most_metrics) printed.push_back(metric);
  }
  return printed;
}

/// Returns "accuracy 0.7419".
std::string metric_text(const Metric& metric) {
  return concat(metric.name, " ", fixed_text(metric.value, 4));
}

/// Returns the metric of a task; null where there is none.
const Metric* metric_in(const std::vector<Measurement>& measurements, const std::string& task,
                        const std::string& metric) {
  const Measurement* measurement = find_measurement(measurements, task);
  return measurement ? find_metric(measurement->metrics, metric) : nullptr;
}

double seconds_since(std::chrono::steady_clock::time_point begin, std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

Progress::Progress(bool shown, bool terminal, StatusLine::Now now)
    : shown_(shown), terminal_(terminal), now_(std::move(now)), line_(shown, terminal, now_) {}

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

void Progress::on_embedded(std::size_t done, std::size_t sentences) {
  if (!embedding_) embedding_.emplace(shown_, terminal_, sentences, now_, "sentences");
  if (done > 0) embedding_->on_block(done);
  if (done == sentences) embedding_.reset();
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
  std::snprintf(text, sizeof text, "step %ld/%ld  %.0f examples/s  %s left  loss %.4f%s%s  learning rate %.3g",
                static_cast<long>(done), static_cast<long>(report.total_steps), examples_per_second_,
                readable_duration(left).c_str(), report.loss, metric_.empty() ? "" : "  ", metric_.c_str(),
                report.learning_rate);
  line_.show(text, last);
}

void Progress::on_resumed(const RunResult& done, std::int64_t /*total_steps*/) {
  if (const StateResult* backbone = find_state(done, backbone_state)) backbone_ = backbone->tasks;
  for (const Curve& curve : done.curves) {
    if (curve.step.front() != 0) continue;
    Measurement& first = at_step_0_.emplace_back();
    first.task = curve.task;
    for (const Curve::Line& line : curve.lines) first.metrics.push_back({line.metric, line.values.front(), line.unit});
  }
}

void Progress::on_backbone(const StateResult& backbone, std::optional<PoolingKind> pooling) {
  backbone_ = backbone.tasks;
  for (const Measurement& measurement : backbone.tasks)
    on_note(concat(pooling ? concat("backbone, pooling ", name_of(*pooling)) : "given vectors", ", cosine: ",
                   measurement.task, ": ", joined(printed_metrics(measurement.metrics), ", ", metric_text)));
}

std::string Progress::comparison_text(std::int64_t step, const std::string& task, const Metric& metric) const {
  std::vector<std::string> parts;
  if (const Metric* of_backbone = metric_in(backbone_, task, metric.name))
    parts.push_back("backbone " + fixed_text(of_backbone->value, 4));
  if (const Metric* first = metric_in(at_step_0_, task, metric.name))
    parts.push_back("at step 0 " + fixed_text(first->value, 4));
  // Of the untrained state itself there is nothing to compare with but the backbone.
  if (parts.empty() || (step == 0 && parts.size() == 1)) return {};
  if (step > 0) parts.push_back("now " + fixed_text(metric.value, 4));
  return concat("; ", metric.name, ": ", joined(parts));
}

void Progress::on_measurement(std::int64_t step, const Measurement& measurement, const Metric* selecting, bool best) {
  const std::vector<Metric> metrics = printed_metrics(measurement.metrics);
  const Metric* const metric = selecting ? selecting : metrics.empty() ? nullptr : &metrics.front();
  selecting_seen_ = selecting_seen_ || selecting;
  if (metric && (selecting || !selecting_seen_)) metric_ = concat(measurement.task, " ", metric_text(*metric));
  if (step == 0) at_step_0_.push_back({measurement.task, measurement.kind, false, measurement.metrics, {}, ""});
  on_note(concat(measurement.task, " after ", step, " steps: ", joined(metrics, ", ", metric_text),
                 best ? " (best)" : "", metric ? comparison_text(step, measurement.task, *metric) : ""));
}

EmbeddingProgress::EmbeddingProgress(bool shown, bool terminal, std::size_t lines, StatusLine::Now now,
                                     const char* unit)
    : line_(shown, terminal, now), lines_(lines), unit_(unit), now_(std::move(now)), start_(now_()) {}

void EmbeddingProgress::on_block(std::size_t lines_done) {
  const bool last = lines_done == lines_;
  if (!line_.due(last)) return;
  const std::chrono::duration<double> elapsed = now_() - start_;
  const double rate = static_cast<double>(lines_done) / elapsed.count();
  char text[128];
  std::snprintf(text, sizeof text, "%zu/%zu %s  %.0f %s/s  %s left", lines_done, lines_, unit_, rate, unit_,
                readable_duration(static_cast<double>(lines_ - lines_done) / rate).c_str());
  line_.show(text, last);
}

}  // namespace gausscse
