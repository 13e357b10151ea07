#include "experiments/worker/trial_outcome.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <sstream>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/process.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/worker/identity_check.hpp"
#include "results/json_report.hpp"
#include "results/result_file.hpp"
#include "results/training_reports.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t lines_kept = 20;
constexpr std::size_t longest_line = 2000;
constexpr std::uint64_t most_log_read = std::uint64_t{1} << 20;
constexpr std::size_t lines_in_a_message = 3;

std::string utc_now() {
  return utc_text(static_cast<std::int64_t>(std::time(nullptr)));
}

/// Returns the seconds of the steps, without the evaluations between them.
double seconds_of_steps(const TrainingSeries& series, std::int64_t batch_size) {
  double seconds = 0;
  for (const double rate : series.examples_per_second)
    if (std::isfinite(rate) && rate > 0) seconds += static_cast<double>(batch_size) / rate;
  return seconds;
}

/// Returns the text of a log from byte `begin` on, no more than the last MiB of it; nothing of anything else than a
/// regular file.
std::string end_of_log(const fs::path& log, std::uint64_t begin) {
  try {
    const OpenFile file = open_regular_file(log, Links::refused);
    if (file.size <= begin) return {};
    std::string text(static_cast<std::size_t>(std::min(file.size - begin, most_log_read)), '\0');
    const ssize_t count =
        ::pread(file.descriptor.get(), text.data(), text.size(), static_cast<off_t>(file.size - text.size()));
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text;
  } catch (const InputError&) {
    return {};
  }
}

std::vector<std::string> log_lines(const fs::path& log, std::uint64_t begin) {
  std::vector<std::string> lines;
  std::istringstream text(end_of_log(log, begin));
  for (std::string line; std::getline(text, line);) {
    // A status line that is drawn again is one line.
    while (!line.empty() && line.back() == '\r') line.pop_back();
    line.erase(0, line.rfind('\r') + 1);
    line.resize(std::min(line.size(), longest_line));
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

/// Returns the known facts of a failure of which the program left no report, such as that of one that was killed.
std::string without_report_text(const fs::path& log, const std::vector<std::string>& lines) {
  const std::string begin = concat("it reported no error; ", log.string());
  if (lines.empty()) return begin + " has no line of this attempt";
  std::string text = begin + " ends with ";
  const std::size_t first = lines.size() - std::min(lines.size(), lines_in_a_message);
  for (std::size_t i = first; i < lines.size(); ++i)
    text += concat(i == first ? "" : ", ", quoted(lines[i], longest_line));
  return text;
}

}  // namespace

RunRecord run_record_of(const fs::path& folder, const StudyPlanEntry& planned, const Attempts& attempts,
                        std::uint64_t peak_memory_bytes) {
  const fs::path file = folder / study_layout::result;
  const RunResult result = read_result(file, Links::refused);
  static_cast<void>(kept_state(result));
  check_identity(result, planned, folder);
  static_cast<void>(read_json_report(folder / study_layout::report, Links::refused));
  RunRecord run;
  run.identity = planned.planned.identity;
  std::error_code error;
  run.result_bytes = fs::file_size(file, error);
  if (error) throw InputError(concat(file.string(), ": ", error.message()));
  run.result_hash = content_hash(file, Links::refused);
  run.report_hash = content_hash(folder / study_layout::report, Links::refused);
  run.trial_hash = content_hash(folder / study_layout::trial_file, Links::refused);
  run.attempts_hash = content_hash(folder / study_layout::attempts, Links::refused);
  run.seconds = attempts.seconds;
  run.attempts = attempts.started;
  run.steps = static_cast<std::int64_t>(result.training.step.size());
  run.step_seconds = seconds_of_steps(result.training, planned.trial->training.batch_size);
  run.ranks = std::max<std::int64_t>(1, result.provenance.ranks);
  run.threads = std::max<std::int64_t>(1, result.provenance.threads);
  run.peak_memory_bytes = peak_memory_bytes;
  if (const Provenance& from = result.provenance; from.gpu_memory > 0)
    run.gpu_memory_share = static_cast<double>(from.gpu_memory_taken) / static_cast<double>(from.gpu_memory);
  run.disk_bytes = bytes_of_folder(folder);
  run.hosts = attempts.hosts;
  run.ended = utc_now();
  run.ended_early = result.ended_early;
  return run;
}

FailureRecord failure_record_of(const fs::path& folder, const std::string& reason, const Attempts& attempts,
                                std::uint64_t log_begin) {
  FailureRecord failure;
  failure.reason = reason;
  failure.lines = log_lines(folder / study_layout::log, log_begin);
  const std::optional<ErrorReport> report = read_error_report(folder / study_layout::error);
  failure.error = report ? report->message : without_report_text(folder / study_layout::log, failure.lines);
  if (failure.lines.size() > lines_kept) failure.lines.erase(failure.lines.begin(), failure.lines.end() - lines_kept);
  failure.attempts = attempts.started;
  failure.seconds = attempts.seconds;
  failure.host = host_name();
  failure.ended = utc_now();
  return failure;
}

}  // namespace gausscse
