#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "base/world.hpp"

namespace gausscse {

/// Makes the folder that the holder of a claim works in, `unfinished/IDENTITY.GENERATION`, and brings the files of
/// earlier holders there. A holder that lives after all, and the program that it started, can then change nothing in
/// it:
///
///     unfinished/ID.4              the former holder's, generation 4; its program runs in it
///     unfinished/ID.5              1. a new folder, which the program in ID.4 has no path to
///     unfinished/ID.4.left         2. the former one renamed: all paths to it are gone, a commit of it fails
///     unfinished/ID.5/...          3. whole files are moved there, the log is copied; what that program has open, and
///                                     what has a temporary name, stays
///     (no ID.4.left)               4. removed, unless a program holds the lock in it
///
/// If a worker dies between two of these, the next one takes its files in the same way. Returns an empty path where a
/// folder of this or a higher generation is there: the claim was made from an old list of names, and is to be
/// withdrawn. Throws WriteError.
std::filesystem::path take_over_folder(const std::filesystem::path& results, const std::string& identity,
                                       long generation, const World& world = real_world());

/// Folders `unfinished/IDENTITY.G.left` by G, the newest first.
using LeftFolders = std::map<long, std::filesystem::path, std::greater<>>;

/// Returns the folders of a trial that were taken from their holders and are still there.
LeftFolders left_folders(const std::filesystem::path& results, const std::string& identity,
                         const World& world = real_world());

/// Removes such folders of trials that are done.
void remove_left_folders(const std::filesystem::path& results,
                         const std::function<bool(const std::string& identity)>& is_done,
                         const World& world = real_world());

/// Outcome of a commit.
enum class Commit {
  done,          ///< the folder is `trials/IDENTITY` now
  too_late,      ///< another one has taken the folder over
  there_was_one  ///< a done trial is there already
};

/// Renames `unfinished/IDENTITY.GENERATION`, with all that belongs to a done trial in it, to `trials/IDENTITY`.
/// `worker` is its name in the trial's attempts. Throws WriteError.
Commit commit_folder(const std::filesystem::path& results, const std::string& identity, long generation,
                     const std::string& worker, const World& world = real_world());

/// Removes leftovers of a trial that are next to its done folder: folders of generations up to `generation`, and the
/// record of an earlier failure.
void remove_leftovers(const std::filesystem::path& results, const std::string& identity, long generation,
                      const World& world = real_world());

/// Moves a damaged `trials/IDENTITY` to `set_aside/IDENTITY.GENERATION`, and gives that path. The claim of this
/// generation must be held. Throws WriteError.
std::filesystem::path set_aside(const std::filesystem::path& results, const std::string& identity, long generation,
                                const World& world = real_world());

/// Moves the folder of an unfinished trial, whose result is of no use, to `set_aside/IDENTITY.GENERATION.unfinished`,
/// so that another attempt begins again, and returns that path. The claim of this generation must be held. Throws
/// WriteError.
std::filesystem::path set_unfinished_aside(const std::filesystem::path& results, const std::string& identity,
                                           long generation, const World& world = real_world());

/// Returns the way in which a trial whose last attempt is over continues, by the checkpoints in its folder: "goes on
/// from its last checkpoint".
std::string how_it_goes_on(const std::filesystem::path& folder, const World& world = real_world());

}  // namespace gausscse
