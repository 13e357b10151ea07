#include "experiments/claims/left_training.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string>

#include "base/file_lock.hpp"
#include "base/process.hpp"
#include "experiments/study/study_layout.hpp"

namespace gausscse {

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

bool kill_left_training(const ProcessIdentity& process, const LeftFolders& folders) {
  if (process.number <= 1 || !is_known_to_run(process)) return false;
  const auto number = static_cast<pid_t>(process.number);
  const bool is_of_trial = std::any_of(folders.begin(), folders.end(), [&](const auto& entry) {
    return works_in(number, entry.second) && holds_lock_in(number, entry.second);
  });
  return is_of_trial && ::getpgid(number) == number && ::kill(-number, SIGKILL) == 0;
}

}  // namespace gausscse
