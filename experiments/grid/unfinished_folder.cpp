#include "experiments/grid/unfinished_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <set>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "experiments/grid/attempts.hpp"
#include "experiments/grid/generations.hpp"
#include "experiments/study/study_layout.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

fs::path unfinished_path(const fs::path& results, const std::string& identity, long generation) {
  return results / study_layout::unfinished / study_layout::generation_name(identity, generation);
}

/// 0, or what the system says.
int rename_folder(const fs::path& from, const fs::path& to) {
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

[[noreturn]] void throw_rename_error(const fs::path& from, const fs::path& to, int error) {
  throw WriteError(concat("cannot rename ", from.string(), " to ", to.string(), ": ", errno_text(error)));
}

void sync_folder(const fs::path& folder) {
  file_calls::sync(file_calls::open_for_sync(folder), folder);
}

}  // namespace

fs::path take_over_folder(const fs::path& results, const std::string& identity, long generation) {
  const fs::path own = unfinished_path(results, identity, generation);
  while (true) {
    std::set<long> left = generations_of(results / study_layout::unfinished, identity);
    left.erase(left.upper_bound(generation), left.end());
    if (left.empty()) {
      if (::mkdir(own.c_str(), 0777) == 0 || errno == EEXIST) return own;
      throw WriteError(concat("cannot make ", own.string(), ": ", errno_text(errno)));
    }
    if (*left.rbegin() == generation) return own;
    const fs::path theirs = unfinished_path(results, identity, *left.rbegin());
    const int error = rename_folder(theirs, own);
    if (error == 0) return own;
    // Gone meanwhile: its holder was not dead and has committed it.
    if (error != ENOENT) throw_rename_error(theirs, own, error);
  }
}

Commit commit_folder(const fs::path& results, const std::string& identity, long generation, const std::string& worker) {
  const fs::path from = unfinished_path(results, identity, generation);
  const fs::path to = study_layout::done_folder(results, identity);
  const int error = rename_folder(from, to);
  if (error == EEXIST || error == ENOTEMPTY) return Commit::there_was_one;
  if (error == ENOENT) {
    // Network file systems ask again where an answer was lost, and then hear that the folder is gone.
    const Attempts there = read_attempts(to);
    return there.generation == generation && there.worker == worker ? Commit::done : Commit::too_late;
  }
  if (error != 0) throw_rename_error(from, to, error);
  sync_folder(to.parent_path());
  return Commit::done;
}

void remove_leftovers(const fs::path& results, const std::string& identity, long generation) {
  // Nothing of this is needed any more: what cannot be removed may stay.
  std::error_code ignored;
  for (const long left : generations_of(results / study_layout::unfinished, identity))
    if (left <= generation) fs::remove_all(unfinished_path(results, identity, left), ignored);
  fs::remove(study_layout::failure_file(results, identity), ignored);
}

fs::path set_aside(const fs::path& results, const std::string& identity, long generation) {
  const fs::path from = study_layout::done_folder(results, identity);
  const fs::path to = results / study_layout::set_aside / study_layout::generation_name(identity, generation);
  std::error_code failed;
  fs::create_directories(to.parent_path(), failed);
  const int error = rename_folder(from, to);
  if (error != 0) throw_rename_error(from, to, error);
  return to;
}

}  // namespace gausscse
