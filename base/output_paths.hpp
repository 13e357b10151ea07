#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace gausscse {

/// Something that a command reads: a file, or a folder of which it may read every file, in folders below it too.
struct InputPath {
  std::string name;  ///< as the user gave it: "IN", "data.dev"
  std::filesystem::path path;
};

/// A file that a command is to write, and its check before the work: `check_output_file` with the treatment of a file
/// that is there, or a function that is made of it.
struct OutputFile {
  std::string name;  ///< as the user gave it: "--json"
  std::filesystem::path path;
  std::function<void(std::string_view name, const std::filesystem::path& path, std::span<const InputPath> inputs)>
      check;
};

/// Treatment of a file that is at an output's path already.
enum class ExistingFile { refuse, replace };

/// Looks at a file that a command is to write by `write_file_atomically`, so that nothing can go wrong with it after
/// the work. `name` is the user's word for it ("OUT", "--json") and begins the message; `inputs` are all files that the
/// command reads. Throws InputError where
///
///  - the path is "-", which is standard output only where a command offers that, or names a folder, a pipe or a
///    device;
///  - it is the same file as an input, or as a file in or below an input folder, be it by another path, a symbolic or a
///    hard link; with ExistingFile::replace, too;
///  - a file or symbolic link is there, with ExistingFile::refuse: the message advises `overwrite`, and `remedy`, such
///    as "--append to add rows to it", if it is given;
///  - its folder is missing, or no file can be made in it (one is made next to it and removed).
///
/// Changes nothing. Call it before the work begins, on the rank that writes: `run_on_root` passes an error on to the
/// others.
void check_output_file(std::string_view name, const std::filesystem::path& path, std::span<const InputPath> inputs,
                       ExistingFile existing, std::string_view remedy = {});

/// Looks at all files that a command is to write, each by its own check. Throws as these, and InputError where two are
/// the same file. Empty paths are no files.
void check_output_files(std::span<const OutputFile> files, std::span<const InputPath> inputs);

/// Checks, before any work, the path of a folder that a command makes as an AtomicFolder. Throws InputError where a
/// file, or a folder that holds anything, is at the path, or where its parent is missing or nothing can be made in it.
void check_new_folder(std::string_view name, const std::filesystem::path& path);

/// Checks the path of a folder that files are added to; it and the folders above it are made if they are missing.
/// Throws InputError where a file is in the place of one of them, or where nothing can be made.
void check_folder_to_write_in(std::string_view name, const std::filesystem::path& path);

/// Returns the input that `path` is, or is a file in or below, if there is one; nothing otherwise. Files are compared
/// by device and number (symbolic links followed), so that every path to one is the same.
const InputPath* input_at(const std::filesystem::path& path, std::span<const InputPath> inputs);

/// Returns whether `path` is `folder` or something below it, whether they are there or not; symbolic links are
/// followed.
bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace gausscse
