#include "experiments/claims/unfinished_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "base/temporary_name.hpp"
#include "experiments/claims/attempts.hpp"
#include "experiments/claims/folder_moves.hpp"
#include "experiments/study/generations.hpp"
#include "experiments/study/study_layout.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

void sync_folder(const fs::path& folder, const World& world) {
  file_calls::sync(world, file_calls::open_for_sync(world, folder), folder);
}

}  // namespace

Commit commit_folder(const fs::path& results, const std::string& identity, long generation, const std::string& worker,
                     const World& world) {
  const fs::path from = unfinished_path(results, identity, generation);
  const fs::path to = study_layout::done_folder(results, identity);
  const int error = rename_folder(from, to, world);
  if (error == EEXIST || error == ENOTEMPTY) return Commit::there_was_one;
  if (error == ENOENT) {
    // Network file systems ask again where an answer was lost, and then hear that the folder is gone.
    const Attempts there = read_attempts(to, world);
    return there.generation == generation && there.worker == worker ? Commit::done : Commit::too_late;
  }
  if (error != 0) throw_rename_error(from, to, error);
  sync_folder(to.parent_path(), world);
  return Commit::done;
}

void remove_leftovers(const fs::path& results, const std::string& identity, long generation, const World& world) {
  // Nothing of this is needed any more: files that cannot be removed may stay.
  for (const long left : generations_of(results / study_layout::unfinished, identity, world))
    if (left <= generation) {
      // A host may remember the name of a folder that is the done trial now: the server renames only a real leftover.
      const fs::path folder = unfinished_path(results, identity, left), moved = folder.string() + left_ending;
      world.remove_all(moved);
      static_cast<void>(world.rename(folder, moved));
    }
  remove_left_folders(
      results, [&](const std::string& done) { return done == identity; }, world);
  world.remove(study_layout::failure_file(results, identity));
}

namespace {

fs::path move_aside(const fs::path& from, const fs::path& results, const std::string& name, const World& world) {
  fs::path to = results / study_layout::set_aside / name;
  world.make_folders(to.parent_path());
  const int error = rename_folder(from, to, world);
  if (error != 0) throw_rename_error(from, to, error);
  return to;
}

}  // namespace

fs::path set_aside(const fs::path& results, const std::string& identity, long generation, const World& world) {
  return move_aside(study_layout::done_folder(results, identity), results,
                    study_layout::generation_name(identity, generation), world);
}

fs::path set_unfinished_aside(const fs::path& results, const std::string& identity, long generation,
                              const World& world) {
  return move_aside(unfinished_path(results, identity, generation), results,
                    concat(study_layout::generation_name(identity, generation), ".unfinished"), world);
}

std::string how_it_goes_on(const fs::path& folder, const World& world) {
  const std::vector<std::string> names = all_names_in(folder / study_layout::checkpoints, world);
  const bool has_one = std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name.ends_with(".safetensors") && !is_temporary_name(name);
  });
  return has_one ? "goes on from its last checkpoint" : "starts again, as it has no checkpoint";
}

}  // namespace gausscse
