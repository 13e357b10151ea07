#include "experiments/grid/progress_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/file_calls.hpp"
#include "base/strict_json.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

/// JSON has no other numbers; the library prints them as null.
double with_three_decimals(double value) {
  return std::round(value * 1000) / 1000;
}

double number_of(const nlohmann::json& value) {
  return value.is_null() ? std::nan("") : value.get<double>();
}

}  // namespace

std::string progress_text(const TrainingProgress& progress) {
  const nlohmann::ordered_json object{{"format", progress_format},
                                      {"step", progress.step},
                                      {"total_steps", progress.total_steps},
                                      {"examples_per_second", with_three_decimals(progress.examples_per_second)},
                                      {"seconds_left", with_three_decimals(progress.seconds_left)},
                                      {"phase", name_of(progress.phase)}};
  std::string text = object.dump();
  GAUSSCSE_CHECK(text.size() < progress_bytes, "a progress file of ", text.size(), " bytes");
  text.resize(progress_bytes - 1, ' ');
  return text + "\n";
}

void check_progress_file(const std::string& name, const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (!fs::exists(status)) return;
  if (!fs::is_regular_file(status))
    throw InputError(concat(name, " ", path.string(), " is no file that can be written over: give another path"));
  if (fs::file_size(path, ignored) != 0 && !read_progress(path))
    throw InputError(
        concat(name, " ", path.string(), " is there already and no progress file of gausscse: give another path"));
}

void write_progress(const fs::path& path, const TrainingProgress& progress) {
  const std::string text = progress_text(progress);
  FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666));
  if (file.get() < 0) throw WriteError(concat(path.string(), ": open: ", errno_text(errno)));
  const ssize_t written = pwrite(file.get(), text.data(), text.size(), 0);
  if (written != static_cast<ssize_t>(text.size()))
    throw WriteError(concat(path.string(), ": write: ", errno_text(written < 0 ? errno : ENOSPC)));
  // Each time, so that other hosts of a network's file system see it.
  file_calls::close(std::move(file), path);
}

std::optional<TrainingProgress> read_progress(const fs::path& path) {
  try {
    const JsonDocument document = parse_strict_json(read_whole_file(path, progress_bytes), path.string());
    const nlohmann::json& object = document.value();
    const auto phase = find_choice<TrainingPhase>(object.at("phase").get<std::string>());
    if (object.at("format") != progress_format || !phase) return std::nullopt;
    return TrainingProgress{.phase = *phase,
                            .step = object.at("step").get<std::int64_t>(),
                            .total_steps = object.at("total_steps").get<std::int64_t>(),
                            .examples_per_second = number_of(object.at("examples_per_second")),
                            .seconds_left = number_of(object.at("seconds_left"))};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

}  // namespace gausscse
