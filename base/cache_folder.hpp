#pragma once

#include <filesystem>
#include <string_view>

namespace gausscse {

/// Returns where this user's program keeps what it can make again: `name` in the folder that the environment variable
/// GAUSSCSE_CACHE names, else `~/.cache/gausscse/NAME`; empty (keep nothing) where there is no home folder either. The
/// folder may be missing.
std::filesystem::path user_cache_folder(std::string_view name);

}  // namespace gausscse
