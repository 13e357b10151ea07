#include "base/output_paths.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "base/option_name.hpp"
#include "base/temporary_name.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(std::string_view name, const fs::path& path, std::string_view why) {
  throw InputError(concat(name, " ", path.string(), " ", why));
}

/// Returns device and number of the file that a path leads to; nothing where they cannot be found out.
std::optional<std::pair<dev_t, ino_t>> identity_of(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return std::pair(status.st_dev, status.st_ino);
}

fs::path resolved(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  const fs::path canonical = fs::weakly_canonical(absolute, error);
  return (error ? absolute : canonical).lexically_normal();
}

/// Returns whether two paths lead to one file, whether it is there or not.
bool is_same_file(const fs::path& one, const fs::path& other) {
  const auto identity = identity_of(one);
  return resolved(one) == resolved(other) || (identity && identity == identity_of(other));
}

/// Throws InputError for "-", which people write for standard output; nothing of that name is made.
void refuse_dash(std::string_view name, const fs::path& path) {
  if (path == "-") refuse(name, path, "is not standard output here: give a path (./- for one of that name)");
}

/// Makes a file next to `sibling` and removes it again. `path` is for messages.
void try_to_make_file(std::string_view name, const fs::path& path, const fs::path& sibling) {
  try {
    const fs::path probe = temporary_sibling(sibling);
    const FileDescriptor made = file_calls::create_file(probe);
    ::unlink(probe.c_str());
  } catch (const WriteError& error) {
    refuse(name, path, concat("cannot be written (", error.what(), "): give a path in a folder that you may write to"));
  }
}

void try_to_write_beside(std::string_view name, const fs::path& path) {
  const fs::path folder = file_calls::folder_of(path);
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    refuse(name, path, concat("cannot be written: there is no folder ", folder.string(), ": make it, or give another"));
  try_to_make_file(name, path, path);
}

}  // namespace

const InputPath* input_at(const fs::path& path, std::span<const InputPath> inputs) {
  const auto identity = identity_of(path);
  if (!identity) return nullptr;
  std::error_code error;
  const bool is_folder = fs::is_directory(path, error);
  for (const InputPath& input : inputs) {
    if (identity_of(input.path) == identity) return &input;
    if (is_folder) continue;
    // Models keep files that are read in their own folders, too (0_Transformer/model.safetensors).
    constexpr auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator entry(input.path, options, error), end; !error && entry != end;
         entry.increment(error))
      if (identity_of(entry->path()) == identity) return &input;
  }
  return nullptr;
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  const fs::path relative = resolved(path).lexically_relative(resolved(folder));
  return !relative.empty() && *relative.begin() != "..";
}

void check_output_file(std::string_view name, const fs::path& path, std::span<const InputPath> inputs,
                       ExistingFile existing, std::string_view remedy) {
  if (path.empty()) throw InputError(concat(name, " is empty: give the path of a file"));
  refuse_dash(name, path);
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (!path.has_filename() || fs::is_directory(status))
    refuse(name, path, "is a folder: give the path of a file in it");
  if (const InputPath* input = input_at(path, inputs))
    refuse(name, path,
           concat("is the file that is read as ", input->name, " (", input->path.string(),
                  "), and would be lost: give another path"));
  if (fs::exists(status) && !fs::is_regular_file(status))
    refuse(name, path, "is a pipe, a device or the like, which a file would replace: give the path of a file");
  if (existing == ExistingFile::refuse && fs::exists(fs::symlink_status(path, ignored)))
    refuse(name, path,
           concat("is there already: give another path, or ", flag_name("overwrite"), " to replace it",
                  remedy.empty() ? "" : ", or ", remedy));
  try_to_write_beside(name, path);
}

void check_output_files(std::span<const OutputFile> files, std::span<const InputPath> inputs) {
  for (const OutputFile& file : files) {
    if (file.path.empty()) continue;
    for (const OutputFile& other : files) {
      if (&other == &file) break;
      if (!other.path.empty() && is_same_file(file.path, other.path))
        refuse(file.name, file.path, concat("is the file of ", other.name, ", too: give each its own"));
    }
    file.check(file.name, file.path, inputs);
  }
}

void check_new_folder(std::string_view name, const fs::path& path) {
  if (path.empty()) throw InputError(concat(name, " is empty: give the path of a new folder"));
  refuse_dash(name, path);
  std::error_code ignored;
  fs::path target = path.has_filename() ? path : path.parent_path();
  // The file at the end of a symbolic link is replaced, not the link.
  if (fs::is_symlink(target, ignored)) target = fs::weakly_canonical(target, ignored);
  const fs::file_status status = fs::status(target, ignored);
  if (fs::exists(status) && !fs::is_directory(status))
    refuse(name, path, "is a file, but a folder must be made there: give another path");
  if (fs::exists(status) && !fs::is_empty(target, ignored))
    refuse(name, path, "is there already and not an empty folder: give a new one");
  try_to_write_beside(name, target);
}

void check_folder_to_write_in(std::string_view name, const fs::path& path) {
  if (path.empty()) throw InputError(concat(name, " is empty: give the path of a folder"));
  refuse_dash(name, path);
  std::error_code ignored;
  fs::path there = fs::absolute(path);
  while (!fs::exists(fs::symlink_status(there, ignored)) && there.has_relative_path()) there = there.parent_path();
  if (!fs::is_directory(there, ignored))
    refuse(name, path, concat("cannot be a folder: ", there.string(), " is a file: give another path"));
  try_to_make_file(name, path, there / path.filename());
}

}  // namespace gausscse
