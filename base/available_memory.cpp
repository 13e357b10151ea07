#include "base/available_memory.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "base/error.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

/// Names of the files that a control group's limit on memory is in.
struct MemoryGroupFiles {
  const char *limit, *usage, *cache;
};
constexpr MemoryGroupFiles first_version{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
    second_version{"memory.max", "memory.current", "inactive_file"};

/// Returns the number that a file begins with; nothing for "max" or a missing file.
std::optional<std::int64_t> number_in(const fs::path& file) {
  std::int64_t number = 0;
  return std::ifstream(file) >> number ? std::optional(number) : std::nullopt;
}

/// Returns the number behind a name at the begin of a line; nothing where there is none.
std::optional<std::int64_t> number_after(const fs::path& file, const std::string& name) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first;
    std::int64_t number = 0;
    if (words >> first && first == name && words >> number) return number;
  }
  return std::nullopt;
}

/// Lowers `available` to the rest of the limits of a group and of those around it, up to the folder `all`. A container
/// may not see its own group's folder, but that of the group around it.
void apply_limits(const fs::path& all, const std::string& group, const MemoryGroupFiles& files,
                  std::int64_t& available) {
  std::string below = group;
  while (true) {
    const fs::path folder = all / fs::path(below).relative_path();
    const auto limit = number_in(folder / files.limit), usage = number_in(folder / files.usage);
    if (limit && usage)
      available = std::min(
          available,
          std::max<std::int64_t>(0, *limit - *usage + number_after(folder / "memory.stat", files.cache).value_or(0)));
    const std::size_t end = below.rfind('/');
    if (below.empty() || end == std::string::npos) return;
    below.resize(end);
  }
}

}  // namespace

std::int64_t available_memory(const fs::path& root) {
  const auto of_machine = number_after(root / "proc/meminfo", "MemAvailable:");
  if (!of_machine) return 0;
  std::int64_t available = *of_machine * 1024;
  // NUMBER:CONTROLLERS:GROUP, with number 0 and no controllers for version 2.
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = concat(",", line.substr(first + 1, second - first - 1), ",");
    const std::string group = line.substr(second + 1);
    if (controllers == ",,") apply_limits(root / "sys/fs/cgroup", group, second_version, available);
    if (controllers.find(",memory,") != std::string::npos)
      apply_limits(root / "sys/fs/cgroup/memory", group, first_version, available);
  }
  return available;
}

}  // namespace gausscse
