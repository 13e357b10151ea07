#include "base/atomic_file.hpp"

#include <unistd.h>

#include <utility>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "base/temporary_name.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

/// Removes the file when it goes, until released.
class RemovedUnlessKept {
 public:
  explicit RemovedUnlessKept(const fs::path& path) : path_(path) {}
  RemovedUnlessKept(const RemovedUnlessKept&) = delete;
  RemovedUnlessKept& operator=(const RemovedUnlessKept&) = delete;
  ~RemovedUnlessKept() {
    if (!kept_) ::unlink(path_.c_str());
  }
  void keep() { kept_ = true; }

 private:
  const fs::path& path_;
  bool kept_ = false;
};

}  // namespace

void write_file_atomically(const fs::path& path, std::span<const std::string_view> parts) {
  const fs::path folder_path = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const FileDescriptor folder = file_calls::open_for_sync(folder_path);
  const fs::path temporary = temporary_sibling(path);
  FileDescriptor file = file_calls::create_file(temporary);
  RemovedUnlessKept guard(temporary);
  for (const std::string_view part : parts) file_calls::write_all(file, part, temporary);
  file_calls::sync(file, temporary);
  file_calls::close(std::move(file), temporary);
  file_calls::rename(temporary, path);
  guard.keep();
  try {
    file_calls::sync(folder, folder_path);
  } catch (const WriteError& error) {
    throw WriteError(concat(error.what(), "; ", path.string(), " is written, but a power loss may undo it"));
  }
}

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  write_file_atomically(path, std::span<const std::string_view>(&bytes, 1));
}

}  // namespace gausscse
