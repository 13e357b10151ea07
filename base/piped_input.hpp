#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace gausscse {

// A pipe can be read once, but readers open their file several times: to hash it, to find out its layout, to read it.
// So what a user gives as input is kept first, and every opening by that path (base/file.hpp) reads the copy:
//
//   keep_piped_input("-");                          // or /dev/stdin, or <(zcat x.gz)
//   const std::string text = read_whole_file("-", most);

/// Returns whether `path` is "-", which represents standard input, a pipe, a socket or a terminal.
bool is_piped_input(const std::filesystem::path& path);

/// Reads `path` to its end into a private file, where it is a piped input that is not kept yet; does nothing where it
/// is not. The file lies in the folder for temporary files (TMPDIR), has no name, and goes with the process. Throws
/// WriteError where it cannot be written, SystemError where the machine fails to read.
void keep_piped_input(const std::filesystem::path& path);

/// Returns a path by which the copy of `path` is opened; nothing where none is kept.
std::optional<std::filesystem::path> kept_input(const std::filesystem::path& path);

/// Returns why a path by which a shell names a pipe (<(...) is /dev/fd/63) leads nowhere, for the end of a message:
/// mpirun's ranks do not have the pipes of the shell. Empty for any other path.
std::string lost_pipe_text(const std::filesystem::path& path);

}  // namespace gausscse
