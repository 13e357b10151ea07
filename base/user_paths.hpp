#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gausscse {

/// Returns the folder for files that this user's program can make again: `name` in the folder that the environment
/// variable GAUSSCSE_CACHE names, else `~/.cache/gausscse/NAME`. Empty (keep nothing) where there is no home folder
/// either. The folder may be missing.
std::filesystem::path user_cache_folder(std::string_view name);

/// Returns the advice for a path that begins as one that only a shell expands ("~/run", "$HOME/run"). It has the path
/// that is meant, where the environment defines it, and the way to write a name that really begins so. Empty for any
/// other path.
std::string shell_path_advice(std::string_view path);

/// Returns true for a path that begins with the home folder as a shell writes it: "~", "~/run", "$HOME/run",
/// "${HOME}/run".
bool begins_with_home(std::string_view path);

/// Returns a text as a word of a command line, in quotes only where a shell needs them: "a.yaml", "'my trial.yaml'".
std::string shell_word(std::string_view text);

}  // namespace gausscse
