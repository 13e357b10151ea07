#pragma once

#include <filesystem>
#include <string>

namespace gausscse {

/// The folder that the holder of a claim works in: `unfinished/IDENTITY.GENERATION`. What the last holder left becomes
/// it, else a new one is made. Throws WriteError.
std::filesystem::path take_over_folder(const std::filesystem::path& results, const std::string& identity,
                                       long generation);

/// What became of a commit.
enum class Commit {
  done,          ///< the folder is `trials/IDENTITY` now
  too_late,      ///< another one has taken the folder over
  there_was_one  ///< a done trial is there already
};

/// Renames `unfinished/IDENTITY.GENERATION`, with all that belongs to a done trial in it, to `trials/IDENTITY`.
/// `worker` is what its attempts name. Throws WriteError.
Commit commit_folder(const std::filesystem::path& results, const std::string& identity, long generation,
                     const std::string& worker);

/// Removes what is left of a trial that is done beside the done one: folders of generations up to `generation`, and the
/// record of an earlier failure.
void remove_leftovers(const std::filesystem::path& results, const std::string& identity, long generation);

/// Moves a damaged `trials/IDENTITY` to `set_aside/IDENTITY.GENERATION`, and gives that path. The claim of this
/// generation must be held. Throws WriteError.
std::filesystem::path set_aside(const std::filesystem::path& results, const std::string& identity, long generation);

}  // namespace gausscse
