#include "base/atomic_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "base/folder_mark.hpp"
#include "base/temporary_name.hpp"
#include "base/world.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

fs::path target_of(fs::path path) {
  if (!path.has_filename()) path = path.parent_path();
  std::error_code error;
  if (!fs::is_symlink(path, error)) return path;
  const fs::path followed = fs::weakly_canonical(path, error);
  return error ? path : followed;
}

void sync_path(const fs::path& path) {
  FileDescriptor descriptor = file_calls::open_for_sync(path);
  file_calls::sync(descriptor, path);
  file_calls::close(std::move(descriptor), path);
}

/// Flushes every file and folder below `folder`, and itself.
void sync_tree(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_symlink()) continue;
    if (entry.is_directory()) {
      sync_tree(entry.path());
    } else {
      sync_path(entry.path());
    }
  }
  sync_path(folder);
}

void write_file_of_parts(const World& world, const fs::path& path, std::span<const std::string_view> parts) {
  const fs::path folder_path = file_calls::folder_of(path);
  const FileDescriptor folder = file_calls::open_for_sync(world, folder_path);
  const fs::path temporary = temporary_sibling(path);
  FileDescriptor file = file_calls::create_file(world, temporary);
  try {
    for (const std::string_view part : parts) file_calls::write_all(world, file, part, temporary);
    file_calls::sync(world, file, temporary);
    file_calls::close(world, std::move(file), temporary);
    file_calls::rename(world, temporary, path);
  } catch (...) {
    world.remove(temporary);
    throw;
  }
  try {
    file_calls::sync(world, folder, folder_path);
  } catch (const WriteError& error) {
    throw WriteError(concat(error.what(), "; ", path.string(), " is written, but a power loss may undo it"));
  }
}

}  // namespace

void write_file_atomically(const fs::path& path, std::span<const std::string_view> parts) {
  write_file_of_parts(real_world(), path, parts);
}

void write_file_atomically(const World& world, const fs::path& path, std::string_view bytes) {
  write_file_of_parts(world, path, std::span<const std::string_view>(&bytes, 1));
}

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  write_file_atomically(real_world(), path, bytes);
}

AtomicFolder::AtomicFolder(const fs::path& path) : path_(target_of(path)), staging_(temporary_sibling(path_)) {
  file_calls::make_folder(staging_);
}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;
  if (!staging_.empty()) fs::remove_all(staging_, ignored);
}

void AtomicFolder::add_file(const fs::path& name, std::span<const std::string_view> parts) {
  GAUSSCSE_CHECK(!committed_ && name.has_filename() && name.is_relative() &&
                     std::find(name.begin(), name.end(), fs::path("..")) == name.end(),
                 "add_file(", name.string(), ")");
  std::error_code ignored;
  fs::path folder = staging_;
  for (const fs::path& step : name.parent_path()) {
    folder /= step;
    if (!fs::is_directory(folder, ignored)) file_calls::make_folder(folder);
  }
  const fs::path path = staging_ / name;
  FileDescriptor file = file_calls::create_file(path);
  for (const std::string_view part : parts) file_calls::write_all(file, part, path);
  file_calls::close(std::move(file), path);
}

void AtomicFolder::add_file(const fs::path& name, std::string_view bytes) {
  add_file(name, std::span<const std::string_view>(&bytes, 1));
}

void AtomicFolder::commit(Existing existing) {
  GAUSSCSE_CHECK(!committed_, "commit() twice");
  try {
    if (existing == Existing::replace) add_file(folder_mark_name, whole_folder_mark(staging_));
    sync_tree(staging_);
    const fs::path parent = file_calls::folder_of(path_);
    const FileDescriptor parent_descriptor = file_calls::open_for_sync(parent);
    put_in_place(existing);
    committed_ = true;
    try {
      file_calls::sync(parent_descriptor, parent);
    } catch (const WriteError& error) {
      throw WriteError(concat(error.what(), "; ", path_.string(), " is written, but a power loss may undo it"));
    }
    if (!staging_.empty()) fs::remove_all(staging_);
  } catch (const fs::filesystem_error& error) {
    throw WriteError(concat("cannot write the folder ", path_.string(),
                            committed_ ? ": the new one is in place, but the old one could not be removed: " : ": ",
                            error.what()));
  }
  staging_.clear();
}

/// Afterwards `staging_` is the folder that is left to remove: the replaced folder, or nothing.
void AtomicFolder::put_in_place(Existing existing) {
  const fs::file_status status = fs::symlink_status(path_);
  if (fs::exists(status) && !fs::is_directory(status)) {
    throw InputError(
        concat(path_.string(), " is a file, but a folder must be written there: give another path, or move it"));
  }
  if (existing == Existing::keep && fs::exists(status) && !fs::is_empty(path_)) {
    throw InputError(concat(path_.string(),
                            " holds files already, which are not overwritten: give another path, or "
                            "ask for the folder to be replaced"));
  }
  if (existing == Existing::replace && fs::exists(status)) {
    check_replaceable(path_);
    if (!file_calls::exchange(staging_, path_)) replace_by_two_renames();
    return;
  }
  // Fails, and leaves all as it is, where another process has put files there since.
  file_calls::rename(staging_, path_);
  staging_.clear();
}

void AtomicFolder::replace_by_two_renames() {
  const fs::path aside = temporary_sibling(path_);
  file_calls::rename(path_, aside);
  try {
    file_calls::rename(staging_, path_);
  } catch (const WriteError& error) {
    try {
      file_calls::rename(aside, path_);
    } catch (const WriteError&) {
      throw WriteError(concat(error.what(), "; the old folder is whole in ", aside.string(), ": rename it back"));
    }
    throw;
  }
  staging_ = aside;
}

}  // namespace gausscse
