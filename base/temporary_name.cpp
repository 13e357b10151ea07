#include "base/temporary_name.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/host_name.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view mark = ".tmp-";

/// `<name>.tmp-<host>-`, the part that all temporary names of `path` made on this host share.
std::string own_prefix(const fs::path& path) {
  return concat(path.filename().string(), mark, host_name(), "-");
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// The process of a name `<prefix><process>-<count>`, or 0 for another name.
pid_t process_of(std::string_view name, std::string_view prefix) {
  if (name.substr(0, prefix.size()) != prefix) return 0;
  name.remove_prefix(prefix.size());
  pid_t process = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
  const bool complete = error == std::errc() && end != name.data() + name.size() && *end == '-';
  return complete && process > 0 ? process : 0;
}

}  // namespace

fs::path temporary_sibling(const fs::path& path) {
  static std::atomic<unsigned long> count{0};
  while (true) {
    fs::path candidate = folder_of(path) / concat(own_prefix(path), ::getpid(), "-", count++);
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(candidate, ignored))) return candidate;
  }
}

std::size_t remove_abandoned_siblings(const fs::path& path) {
  const std::string prefix = own_prefix(path);
  std::error_code error;
  std::vector<fs::path> abandoned;
  for (fs::directory_iterator entry(folder_of(path), error), end; !error && entry != end; entry.increment(error)) {
    const pid_t process = process_of(entry->path().filename().string(), prefix);
    if (process != 0 && ::kill(process, 0) != 0 && errno == ESRCH) abandoned.push_back(entry->path());
  }
  std::size_t removed = 0;
  for (const fs::path& leftover : abandoned) {
    fs::remove_all(leftover, error);
    if (!error) ++removed;
  }
  return removed;
}

void remove_unfinished(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> unfinished;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().find(mark) != std::string::npos) unfinished.push_back(entry->path());
  for (const fs::path& leftover : unfinished) fs::remove_all(leftover, error);
}

}  // namespace gausscse
