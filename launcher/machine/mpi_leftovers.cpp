#include "launcher/machine/mpi_leftovers.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace gausscse {

namespace fs = std::filesystem;

namespace {

/// Returns whether Open MPI 4 (vader) or 5 (sm) names its files so.
bool is_segment(std::string_view name) {
  return name.starts_with("vader_segment.") || name.starts_with("sm_segment.");
}

bool is_own_file(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::getuid();
}

/// Removes from `files` those that the process of this folder of /proc has mapped. A line of `maps` ends with the path.
void remove_mapped(const fs::path& process, std::vector<fs::path>& files) {
  std::ifstream maps(process / "maps");
  for (std::string line; std::getline(maps, line);)
    std::erase_if(files, [&](const fs::path& file) { return line.ends_with(file.native()); });
}

}  // namespace

std::vector<fs::path> mpi_leftovers(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (is_segment(entry->path().filename().native()) && is_own_file(entry->path())) files.push_back(entry->path());
  std::error_code gone;
  for (fs::directory_iterator entry("/proc", gone), end; !files.empty() && !gone && entry != end; entry.increment(gone))
    remove_mapped(entry->path(), files);
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace gausscse
