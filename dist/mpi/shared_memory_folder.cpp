#include "dist/mpi/shared_memory_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <system_error>

#include "base/error.hpp"
#include "base/temporary_name.hpp"

namespace gausscse::detail {

namespace {

/// Environment variables that name the folder to Open MPI 4 and 5.
constexpr std::array backing_folders = {"OMPI_MCA_btl_vader_backing_directory", "OMPI_MCA_btl_sm_backing_directory"};

}  // namespace

SharedMemoryFolder::SharedMemoryFolder(const std::filesystem::path& parent) {
  const std::filesystem::path own = parent / concat("gausscse-mpi-", ::getuid());
  remove_abandoned_siblings(own);
  for (const char* variable : backing_folders)
    if (std::getenv(variable)) return;
  const std::filesystem::path folder = temporary_sibling(own);
  if (::mkdir(folder.c_str(), 0700) != 0) return;
  path_ = folder;
  for (const char* variable : backing_folders) ::setenv(variable, path_.c_str(), 1);
}

SharedMemoryFolder::~SharedMemoryFolder() {
  if (path_.empty()) return;
  for (const char* variable : backing_folders) ::unsetenv(variable);
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace gausscse::detail
