#include "results/training_reports.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/file_calls.hpp"
#include "base/strict_json.hpp"
#include "base/temporary_name.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

/// Rounds to as many decimals as `unit` has zeros; NaN and infinities, which JSON has not, become null as the library
/// prints them.
double rounded(double value, double unit) {
  return std::round(value * unit) / unit;
}

double number_of(const nlohmann::json& value) {
  return value.is_null() ? std::nan("") : value.get<double>();
}

/// Returns a line of `bytes`, the line break included.
std::string filled(std::string text, std::size_t bytes) {
  GAUSSCSE_CHECK(text.size() < bytes, "a progress file of ", text.size(), " bytes");
  text.resize(bytes - 1, ' ');
  return text + "\n";
}

std::string text_with_problem(nlohmann::ordered_json object, const TrainingProgress& progress) {
  object["checkpoints_lost_since"] = utc_text(progress.checkpoints_lost_since);
  std::string problem = progress.checkpoint_problem;
  while (true) {
    object["checkpoint_problem"] = problem;
    std::string text = object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    if (text.size() < longest_progress_bytes) return text;
    problem.resize(problem.size() / 2);
  }
}

/// Returns 0 where the text is no such time.
std::int64_t seconds_of_utc(const std::string& text) {
  std::tm parts{};
  const char* end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return end && *end == '\0' ? static_cast<std::int64_t>(::timegm(&parts)) : 0;
}

constexpr const char* error_format = "gausscse-error/1";
constexpr std::size_t largest_error_report = std::size_t{1} << 20;

}  // namespace

std::string utc_text(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  char text[32] = {};
  if (::gmtime_r(&time, &parts)) std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string progress_text(const TrainingProgress& progress) {
  nlohmann::ordered_json object{{"format", progress_format},
                                {"step", progress.step},
                                {"total_steps", progress.total_steps},
                                {"examples_per_second", rounded(progress.examples_per_second, 1000)},
                                {"seconds_left", rounded(progress.seconds_left, 1000)},
                                {"phase", name_of(progress.phase)}};
  if (progress.loss) object["loss"] = rounded(*progress.loss, 10'000);
  if (!progress.checkpoint_problem.empty()) return filled(text_with_problem(object, progress), longest_progress_bytes);
  return filled(object.dump(), progress_bytes);
}

void check_progress_file(std::string_view name, const fs::path& path, std::span<const InputPath> inputs) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored) && !input_at(path, inputs) && !read_progress(path))
    throw InputError(
        concat(name, " ", path.string(), " is there already and is no progress file of gausscse: give another path"));
  check_output_file(name, path, inputs, ExistingFile::replace);
}

void write_progress(const fs::path& path, const TrainingProgress& progress) {
  std::string text = progress_text(progress);
  FileDescriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK));
  if (file.get() < 0) {
    remove_abandoned_siblings(path);
    write_file_atomically(path, text);
    return;
  }
  // The content before may be longer.
  struct stat status {};
  if (fstat(file.get(), &status) == 0 && status.st_size > static_cast<off_t>(text.size()) &&
      status.st_size <= static_cast<off_t>(longest_progress_bytes)) {
    text.pop_back();
    text = filled(std::move(text), static_cast<std::size_t>(status.st_size));
  }
  const ssize_t written = pwrite(file.get(), text.data(), text.size(), 0);
  if (written != static_cast<ssize_t>(text.size()))
    throw WriteError(file_calls::refused_write_text(path, "write", written < 0 ? errno : ENOSPC));
  // Each time, so that other hosts of a network's file system see it.
  file_calls::close(std::move(file), path);
}

std::optional<TrainingProgress> read_progress(const fs::path& path) {
  try {
    const JsonDocument document =
        parse_strict_json(read_whole_file(path, longest_progress_bytes, Links::refused), path.string());
    const nlohmann::json& object = document.value();
    const auto phase = find_choice<TrainingPhase>(object.at("phase").get<std::string>());
    if (object.at("format") != progress_format || !phase) return std::nullopt;
    const auto loss = object.find("loss");
    return TrainingProgress{.phase = *phase,
                            .step = object.at("step").get<std::int64_t>(),
                            .total_steps = object.at("total_steps").get<std::int64_t>(),
                            .examples_per_second = number_of(object.at("examples_per_second")),
                            .seconds_left = number_of(object.at("seconds_left")),
                            .checkpoint_problem = object.value("checkpoint_problem", ""),
                            .checkpoints_lost_since = seconds_of_utc(object.value("checkpoints_lost_since", "")),
                            .loss = loss == object.end() ? std::nullopt : std::optional(number_of(*loss))};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

void check_error_report_file(std::string_view name, const fs::path& path, std::span<const InputPath> inputs) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored) && !input_at(path, inputs) && !read_error_report(path))
    throw InputError(
        concat(name, " ", path.string(), " is there already and is no error report of gausscse: give another path"));
  check_output_file(name, path, inputs, ExistingFile::replace);
}

void write_error_report(const fs::path& file, const ErrorReport& report) {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(file, ignored)) && !read_error_report(file)) return;
  const nlohmann::ordered_json root{
      {"format", error_format}, {"kind", name_of(report.kind)}, {"message", report.message}};
  try {
    write_file_atomically(file, root.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  } catch (const WriteError&) {
  }
}

std::optional<ErrorReport> read_error_report(const fs::path& file) {
  try {
    const JsonDocument document =
        parse_strict_json(read_whole_file(file, largest_error_report, Links::refused), file.string());
    const nlohmann::json& root = document;
    const auto kind = find_choice<ErrorKind>(root.at("kind").get<std::string>());
    if (root.at("format") != error_format || !kind) return std::nullopt;
    return ErrorReport{*kind, root.at("message").get<std::string>()};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

}  // namespace gausscse
