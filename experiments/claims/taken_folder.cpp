#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/file_calls.hpp"
#include "base/lists.hpp"
#include "base/temporary_name.hpp"
#include "experiments/claims/attempts.hpp"
#include "experiments/claims/folder_moves.hpp"
#include "experiments/claims/unfinished_folder.hpp"
#include "experiments/study/generations.hpp"
#include "experiments/study/study_layout.hpp"

// The folder of a trial that is taken from its holder.

namespace gausscse {

namespace fs = std::filesystem;

namespace {

/// Files that stay in a folder that is taken from a holder: those that its program may have open, and those on its
/// attempt alone.
constexpr std::array of_one_attempt = {study_layout::lock,       study_layout::attempts,  study_layout::log,
                                       study_layout::report,     study_layout::progress,  study_layout::error,
                                       study_layout::trial_file, study_layout::run_record};

/// Returns identity and generation of a folder that was taken from its holder.
std::optional<std::pair<std::string, long>> split_left_name(const std::string& name) {
  constexpr std::string_view ending = left_ending;
  if (!name.ends_with(ending)) return std::nullopt;
  return split_generation(std::string_view(name).substr(0, name.size() - ending.size()));
}

bool is_there(const fs::path& path, const World& world) {
  struct stat status {};
  return world.status(path, status) == 0;
}

/// Renames the folder. From here on the former holder's paths are gone: neither it nor its program can commit, or write
/// by an absolute path.
void rename_out_of_reach(const fs::path& results, const std::string& identity, long generation, const World& world) {
  for (const long theirs : generations_of(results / study_layout::unfinished, identity, world)) {
    if (theirs >= generation) break;
    const fs::path from = unfinished_path(results, identity, theirs);
    const fs::path to = from.string() + left_ending;
    const int error = rename_folder(from, to, world);
    // ENOENT: its holder was alive and committed it. ENOTEMPTY: it was taken before, and the former holder, or its
    // program, made the path again after that. Nobody reads its files, and a commit of the trial removes it.
    if (error != 0 && error != ENOENT && error != ENOTEMPTY && error != EEXIST) throw_rename_error(from, to, error);
  }
}

/// Returns whether the folder is new.
bool make_own_folder(const fs::path& own, const World& world) {
  if (world.make_folder(own) == 0) return true;
  const int error = errno;
  if (error == EEXIST && is_real_folder(own, world)) return false;
  throw WriteError(file_calls::refused_write_text(own, "mkdir", error));
}

/// Moves the files that are whole (the names of unfinished ones are temporary) and not there yet. A folder is moved
/// with all that is in it, but not the one of checkpoints, which the former holder's program may still write into.
void take_files(const fs::path& left, const fs::path& own, const World& world) {
  for (const std::string& name : all_names_in(left, world)) {
    if (is_temporary_name(name) || is_among(of_one_attempt, name)) continue;
    if (name == study_layout::checkpoints && is_real_folder(left / name, world)) {
      make_own_folder(own / name, world);
      take_files(left / name, own / name, world);
    } else if (!is_there(own / name, world)) {
      const int error = rename_folder(left / name, own / name, world);
      if (error != 0 && error != ENOENT) throw_rename_error(left / name, own / name, error);
    }
  }
}

/// Copies a log. Returns false where there is none, or something else than a regular file.
bool copy_log(const fs::path& from, const fs::path& to, const World& world) {
  OpenFile source;
  try {
    source = open_regular_file(world, from, Links::refused);
  } catch (const InputError&) {
    return false;
  }
  const fs::path temporary = temporary_sibling(to);
  FileDescriptor file = file_calls::create_file(world, temporary);
  std::string buffer(std::size_t{1} << 16, '\0');
  while (const std::size_t count = read_some(world, source, buffer.data(), buffer.size(), from))
    file_calls::write_all(world, file, std::string_view(buffer.data(), count), temporary);
  file_calls::close(world, std::move(file), temporary);
  file_calls::rename(world, temporary, to);
  return true;
}

/// Copies the newest log, which the former holder's program has open.
void take_log(const LeftFolders& left, const fs::path& own, const World& world) {
  if (is_there(own / study_layout::log, world)) return;
  for (const auto& [theirs, folder] : left)
    if (copy_log(folder / study_layout::log, own / study_layout::log, world)) return;
}

void take_attempts(const LeftFolders& left, const fs::path& own, const World& world) {
  if (read_attempts(own, world).started > 0) return;
  for (const auto& [theirs, folder] : left) {
    Attempts attempts = read_attempts(folder, world);
    if (attempts.started == 0) continue;
    if (attempts.process.number != 0)
      attempts.seconds = std::max(attempts.seconds, attempts.earlier_seconds + seconds_by_files(folder, world));
    write_attempts(own, attempts, world);
    return;
  }
}

/// Removes the folder, as the rest of it is of no use to anybody. A program that still has it as its working folder
/// keeps it until the trial is done.
void remove_unless_in_use(const fs::path& left, const World& world) {
  if (is_real_folder(left, world) && !world.is_lock_held(left / study_layout::lock)) world.remove_all(left);
}

}  // namespace

fs::path take_over_folder(const fs::path& results, const std::string& identity, long generation, const World& world) {
  fs::path own = unfinished_path(results, identity, generation);
  // First: a host that changes a folder forgets the names in it that it remembered from before.
  const bool is_new = make_own_folder(own, world);
  const std::set<long> there = generations_of(results / study_layout::unfinished, identity, world);
  if (!is_new) return {};
  if (!there.empty() && *there.rbegin() > generation) {
    world.remove(own);
    return {};
  }
  rename_out_of_reach(results, identity, generation, world);
  const LeftFolders left = left_folders(results, identity, world);
  // Before the files, as those that are moved change the times that an attempt is measured by.
  take_attempts(left, own, world);
  for (const auto& [theirs, folder] : left) take_files(folder, own, world);
  take_log(left, own, world);
  for (const auto& [theirs, folder] : left) remove_unless_in_use(folder, world);
  return own;
}

LeftFolders left_folders(const fs::path& results, const std::string& identity, const World& world) {
  LeftFolders folders;
  for (const std::string& name : names_in(results / study_layout::unfinished, world))
    if (const auto split = split_left_name(name); split && split->first == identity)
      folders.emplace(split->second, results / study_layout::unfinished / name);
  return folders;
}

void remove_left_folders(const fs::path& results, const std::function<bool(const std::string& identity)>& is_done,
                         const World& world) {
  for (const std::string& name : names_in(results / study_layout::unfinished, world))
    if (const auto split = split_left_name(name); split && is_done(split->first))
      world.remove_all(results / study_layout::unfinished / name);
}

}  // namespace gausscse
