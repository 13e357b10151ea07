#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_calls.hpp"

namespace gausscse {

/// A file open for reading, and its size when it was opened.
struct OpenFile {
  FileDescriptor descriptor;
  std::size_t size = 0;
};

/// Treatment of a symbolic link in a file's place. In a folder that others can write to, such as a study's results, a
/// link may lead to any file that its reader may open: readers of such folders refuse links.
enum class Links { followed, refused };

/// Opens a regular file, or the copy of a piped input that is kept (base/file.hpp). Throws InputError, naming the path
/// and the reason, where it is missing, a folder, a refused symbolic link, unreadable or not a regular file (a pipe
/// could wait for ever). Throws SystemError where the machine fails.
OpenFile open_regular_file(const std::filesystem::path& path, Links links = Links::followed);

/// Reads at most `capacity` bytes from where the last read ended; 0 at the end of the file. Throws SystemError, with
/// `path` for the message, where the machine fails.
std::size_t read_some(const OpenFile& file, char* buffer, std::size_t capacity, const std::filesystem::path& path);

/// Returns the bytes of a regular file. Throws as `open_regular_file` does, and InputError where it holds more than
/// `max_bytes`.
std::string read_whole_file(const std::filesystem::path& path, std::size_t max_bytes, Links links = Links::followed);

/// A regular file mapped read-only into memory. The file must not shrink while it is mapped: pages that are gone end
/// the process with SIGBUS. Replacing it by rename is fine.
class MappedFile {
 public:
  /// Maps the whole of `path`; an empty file is fine. Throws as `open_regular_file` does.
  explicit MappedFile(const std::filesystem::path& path, Links links = Links::followed);

  /// Returns the file's content; stays at the same address when the object is moved, valid until it goes.
  std::string_view bytes() const { return mapping_.bytes(); }

 private:
  Mapping mapping_;
};

// A pipe can be read once, but readers open their file several times: to hash it, to find out its layout, to read it.
// So the bytes of a user's input are kept first, and every opening by that path (base/file.hpp) reads the copy:
//
//   keep_piped_input("-");                          // or /dev/stdin, or <(zcat x.gz)
//   const std::string text = read_whole_file("-", most);

/// Returns whether `path` is "-", which represents standard input, a pipe, a socket or a terminal.
bool is_piped_input(const std::filesystem::path& path);

/// Reads `path` to its end into a private file, where it is a piped input that is not kept yet; does nothing where it
/// is not. The file lies in the folder for temporary files (TMPDIR), has no name, and goes with the process, so memory
/// does not grow with it. Throws WriteError where it cannot be written or leaves little room there (an input may have
/// no end), SystemError where the machine fails to read.
void keep_piped_input(const std::filesystem::path& path);

/// Returns a path by which the copy of `path` is opened; nothing where none is kept.
std::optional<std::filesystem::path> kept_input(const std::filesystem::path& path);

/// Returns why a path by which a shell names a pipe (<(...) is /dev/fd/63) leads nowhere, for the end of a message:
/// mpirun's ranks do not have the pipes of the shell. Empty for any other path.
std::string lost_pipe_text(const std::filesystem::path& path);

/// Returns the bytes of all files in a folder and below it, links left out; 0 where there is none.
std::uint64_t bytes_of_folder(const std::filesystem::path& folder);

}  // namespace gausscse
