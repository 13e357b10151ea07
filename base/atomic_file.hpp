#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace gausscse {

/// Writes the concatenation of `parts` to `path`. At every moment, also after a crash or a power loss, the old file or
/// the new one is there whole. The file is written next to it under a temporary name, flushed and renamed; then the
/// folder is flushed. On failure throws WriteError with the file, the call and the system's text; the temporary file is
/// removed. The old file is untouched, unless only the last flush, of the folder, failed. Then the new file is in
/// place, and the message says that a power loss may undo it. A symbolic link at `path` is replaced, not followed.
///
///     write_file_atomically("report.json", report.dump());  // "report.json" is never seen half-written
void write_file_atomically(const std::filesystem::path& path, std::span<const std::string_view> parts);

/// Writes one part to `path` in this way.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// A folder of results that appears whole or not at all. Files are gathered in a temporary folder next to it; `commit`
/// flushes them and renames the folder into place. An object that goes uncommitted removes the temporary folder.
///
/// The legal states of the disk, at every moment and after a crash:
///  - before `commit`: the old folder, if there was one, untouched;
///  - during `commit`: the old or the new folder whole at the path. Some file systems, such as network ones, cannot
///    swap two names in one step. There, between two renames, nothing is at the path; the old folder and the new one
///    are whole next to it, under temporary names;
///  - after it: the new folder whole at the path.
/// A killed process may leave temporary names behind; see `remove_abandoned`.
///
///     AtomicFolder folder("model");
///     folder.add_file("config.json", config);
///     write_weights(folder.staging() / "model.safetensors");
///     folder.commit();  // now "model" is there, whole
class AtomicFolder {
 public:
  /// Treatment by `commit` of a folder that is there already. `keep` it and throw, unless it is empty. Or `replace` it,
  /// but only one that was itself written with `replace`, which marks it, and holds nothing else (see
  /// `check_replaceable`).
  enum class Existing { keep, replace };

  /// Makes the temporary folder; the parent of `path` must exist. A symbolic link at `path` is followed.
  /// Throws WriteError where it cannot be made.
  explicit AtomicFolder(const std::filesystem::path& path);
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;
  ~AtomicFolder();

  /// Returns the temporary folder: libraries that write their own files write them there. `commit` flushes these too.
  const std::filesystem::path& staging() const { return staging_; }

  /// Writes the concatenation of `parts` to a new file `name` of the folder; `name` may have folders in it, which are
  /// made. Throws WriteError.
  void add_file(const std::filesystem::path& name, std::span<const std::string_view> parts);
  void add_file(const std::filesystem::path& name, std::string_view bytes);

  /// Puts the folder in place; once. Throws WriteError. Throws InputError where a file is at the path, with
  /// Existing::keep a folder that holds anything, with Existing::replace one that was not written with it. After a
  /// throw the old folder is in place, unless the message says otherwise.
  void commit(Existing existing = Existing::keep);

 private:
  void put_in_place(Existing existing);
  void replace_by_two_renames();

  std::filesystem::path path_;
  std::filesystem::path staging_;
  bool committed_ = false;
};

}  // namespace gausscse
