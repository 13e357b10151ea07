#include "experiments/claims/attempts.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <string>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/file_lock.hpp"
#include "base/process.hpp"
#include "base/strict_json.hpp"
#include "experiments/study/generations.hpp"
#include "experiments/study/json_fields.hpp"
#include "experiments/study/study_layout.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t most_attempts = 1'000'000'000;
constexpr const char* attempts_format = "gausscse-attempts/1";

/// Returns when a file, or a folder's list of names, was last written to; nothing where it is not there.
std::optional<double> written_at(const World& world, const fs::path& path) {
  struct stat status {};
  if (world.status(path, status) != 0) return std::nullopt;
  return static_cast<double>(status.st_mtim.tv_sec) + static_cast<double>(status.st_mtim.tv_nsec) * 1e-9;
}

}  // namespace

void list_members(RecordOf<ProcessIdentity> auto& process, auto& members) {
  members("host", process.host);
  members("boot", process.boot);
  members("number", process.number, INT64_MIN);
  members("start", process.start);
}

void list_members(RecordOf<Attempts> auto& attempts, auto& members) {
  members("generation", attempts.generation, 0, highest_generation);
  members("worker", attempts.worker);
  members("started", attempts.started, 0, most_attempts);
  members("seconds", attempts.seconds);
  members("hosts", attempts.hosts);
  // Files of earlier versions lack both values.
  members("earlier_seconds", attempts.earlier_seconds, Presence::optional);
  members("machine_failures", attempts.machine_failures, 0, most_attempts, Presence::optional);
  members("process", attempts.process);
}

void write_attempts(const fs::path& folder, const Attempts& attempts, const World& world) {
  write_file_atomically(world, folder / study_layout::attempts,
                        json_text(json_of(attempts, {{"format", attempts_format}})));
}

Attempts read_attempts(const fs::path& folder, const World& world) {
  const fs::path file = folder / study_layout::attempts;
  try {
    const JsonDocument document =
        parse_strict_json(read_whole_file(world, file, std::size_t{1} << 20, Links::refused), file.string());
    JsonFields fields(document, file.string());
    std::string format;
    fields("format", format);
    if (format != attempts_format) return {};
    Attempts attempts;
    list_members(attempts, fields);
    return attempts;
  } catch (const InputError&) {
    return {};
  }
}

double seconds_by_files(const fs::path& folder, const World& world) {
  const auto begun = written_at(world, folder / study_layout::trial_file);
  if (!begun) return 0;
  double last = *begun;
  for (const char* name : {study_layout::log, study_layout::progress, study_layout::checkpoints})
    last = std::max(last, written_at(world, folder / name).value_or(*begun));
  return last - *begun;
}

namespace {

namespace fs = std::filesystem;

bool works_in(std::int64_t process, const fs::path& folder) {
  struct stat working {};
  struct stat named {};
  const std::string link = "/proc/" + std::to_string(process) + "/cwd";
  return ::stat(link.c_str(), &working) == 0 && ::lstat(folder.c_str(), &named) == 0 &&
         working.st_dev == named.st_dev && working.st_ino == named.st_ino;
}

bool has_started(std::int64_t ancestor, std::int64_t process) {
  constexpr int most_between = 16;
  for (int i = 0; i < most_between && process > 1; ++i) {
    if (process == ancestor) return true;
    process = parent_of_process(process);
  }
  return false;
}

bool holds_lock_in(std::int64_t process, const fs::path& folder) {
  const auto holder = local_holder_of_lock(folder / study_layout::lock);
  return holder && has_started(process, *holder);
}

}  // namespace

bool kill_left_training(const ProcessIdentity& process, const LeftFolders& folders, const World& world) {
  if (process.number <= 1 || !is_known_to_run(process, world)) return false;
  const auto number = static_cast<pid_t>(process.number);
  const bool is_of_trial = std::any_of(folders.begin(), folders.end(), [&](const auto& entry) {
    return works_in(number, entry.second) && holds_lock_in(number, entry.second);
  });
  return is_of_trial && ::getpgid(number) == number && ::kill(-number, SIGKILL) == 0;
}

}  // namespace gausscse
