#include "experiments/claims/folder_moves.hpp"

#include <cerrno>
#include <system_error>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "experiments/study/study_layout.hpp"

namespace gausscse {

namespace fs = std::filesystem;

fs::path unfinished_path(const fs::path& results, const std::string& identity, long generation) {
  return results / study_layout::unfinished / study_layout::generation_name(identity, generation);
}

int rename_folder(const fs::path& from, const fs::path& to, const World& world) {
  return world.rename(from, to) == 0 ? 0 : errno;
}

void throw_rename_error(const fs::path& from, const fs::path& to, int error) {
  throw WriteError(concat("cannot rename ", from.string(), " to ", to.string(), ": ", errno_text(error),
                          file_calls::write_remedy(to.parent_path(), error)));
}

bool is_real_folder(const fs::path& path, const World& world) {
  struct stat status {};
  return world.status(path, status) == 0 && S_ISDIR(status.st_mode);
}

std::vector<std::string> all_names_in(const fs::path& folder, const World& world) {
  if (!is_real_folder(folder, world)) return {};
  std::error_code error;
  std::vector<std::string> names = world.names(folder, error);
  // Another worker may remove the rest of a trial that is done.
  if (error && error != std::errc::no_such_file_or_directory)
    throw SystemError(concat("cannot look through ", folder.string(), ": ", error.message()));
  return names;
}

}  // namespace gausscse
