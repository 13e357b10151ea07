#pragma once

#include <cstddef>
#include <filesystem>

namespace gausscse {

/// A name beside `path` that nothing has used yet: `<name>.tmp-<host>-<process>-<count>`, never the same twice in a
/// process. What is unfinished has such a name and nothing finished has.
std::filesystem::path temporary_sibling(const std::filesystem::path& path);

/// Removes what writers of `path` that died (a kill, a lost node) left beside it under temporary names: those of this
/// host whose process is gone. Call it where no other machine with this host name writes the same path. Returns how
/// many were removed.
std::size_t remove_abandoned_siblings(const std::filesystem::path& path);

/// Removes everything in a folder that has a temporary name, whichever machine its writer ran on. Only for a folder
/// that nobody else writes to.
void remove_unfinished(const std::filesystem::path& folder);

}  // namespace gausscse
