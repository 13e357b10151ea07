#include "base/folder_mark.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/option_name.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t largest_mark = std::size_t{1} << 20;
constexpr std::string_view hash_and_name_separator = "  ";  // of hash and name, as xxh128sum has it

std::string what_to_do() {
  return concat(": move that, or write elsewhere",
                option_style() == OptionStyle::command_line ? " (--overwrite does not lose it either)" : "");
}

std::string_view first_line_of(FolderKind kind) {
  switch (kind) {
    case FolderKind::output:
      return "gausscse-folder/1 output: result.h5 in this folder was written by gausscse\n";
    case FolderKind::checkpoints:
      return "gausscse-folder/1 checkpoints: step-*.safetensors in this folder were written by gausscse\n";
    case FolderKind::whole:
      return "gausscse-folder/1 whole: gausscse wrote these files, and may replace them while they are unchanged\n";
  }
  GAUSSCSE_CHECK(false, "no such kind of folder");
  return {};
}

/// Returns the mark's text; empty where there is none.
std::string mark_of(const fs::path& folder) {
  const fs::path path = folder / folder_mark_name;
  std::error_code ignored;
  if (!fs::is_regular_file(fs::symlink_status(path, ignored))) return {};
  try {
    return read_whole_file(path, largest_mark, Links::refused);
  } catch (const InputError&) {
    return {};
  }
}

/// Returns the entries below `folder` but the mark: relative path -> whether it is an ordinary file.
std::map<std::string, bool> entries_of(const fs::path& folder) {
  std::map<std::string, bool> entries;
  for (fs::recursive_directory_iterator entry(folder), end; entry != end; ++entry) {
    const std::string name = entry->path().lexically_relative(folder).generic_string();
    const bool is_folder = !entry->is_symlink() && entry->is_directory();
    if (name == folder_mark_name || (is_folder && !fs::is_empty(entry->path()))) continue;
    entries.emplace(name, !entry->is_symlink() && entry->is_regular_file());
  }
  return entries;
}

/// Returns the hash of each relative path in a mark whose first line has been checked.
std::map<std::string, std::string> marked_files(const std::string& mark) {
  std::map<std::string, std::string> files;
  std::istringstream lines(mark);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const std::size_t at = line.find(hash_and_name_separator);
    if (at != std::string::npos) files.emplace(line.substr(at + hash_and_name_separator.size()), line.substr(0, at));
  }
  return files;
}

/// Returns the mark of a whole folder that holds these files: relative path -> hash.
std::string mark_text(const std::map<std::string, std::string>& files) {
  std::string mark(first_line_of(FolderKind::whole));
  for (const auto& [name, hash] : files) mark += concat(hash, hash_and_name_separator, name, "\n");
  return mark;
}

/// Returns the names in `folder` that differ from its mark, each with the difference.
std::vector<std::string> foreign_entries(const fs::path& folder, const std::string& mark) {
  const std::map<std::string, std::string> written = marked_files(mark);
  std::vector<std::string> foreign;
  for (const auto& [name, is_file] : entries_of(folder)) {
    const auto found = written.find(name);
    if (!is_file || found == written.end())
      foreign.push_back(name);
    else if (content_hash(folder / name) != found->second)
      foreign.push_back(concat(name, " (changed since)"));
  }
  return foreign;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) text += concat(i == 0 ? "" : ", ", names[i]);
  if (names.size() > most) text += concat(" and ", names.size() - most, " more");
  return text;
}

/// Only people read it, and they may edit it.
constexpr std::string_view card = "README.md";

bool is_compared(std::string_view name, SavedFiles which) {
  if (which == SavedFiles::but_weights && name.ends_with(".safetensors")) return false;
  return name != card;
}

}  // namespace

std::string whole_folder_mark(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& [name, is_file] : entries_of(folder)) {
    GAUSSCSE_CHECK(is_file && name.find('\n') == std::string::npos, name);
    files.emplace(name, content_hash(folder / name));
  }
  return mark_text(files);
}

std::map<std::string, std::string> files_in_mark(const fs::path& folder) {
  const fs::path path = folder / folder_mark_name;
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return {};
  const std::string mark = read_whole_file(path, largest_mark);
  for (const FolderKind other : {FolderKind::output, FolderKind::checkpoints})
    if (mark.starts_with(first_line_of(other))) return {};
  std::map<std::string, std::string> files = marked_files(mark);
  // The text of these files is the mark as it was written, to the byte.
  if (mark_text(files) != mark)
    throw InputError(concat(path.string(), ": damaged: it does not list files with their XXH3-128: copy it again from ",
                            "where the folder was written; to use the files without comparing them, remove it"));
  return files;
}

bool has_folder_mark(const fs::path& folder, FolderKind kind) {
  return mark_of(folder).starts_with(first_line_of(kind));
}

std::string note_in_mark(const fs::path& folder, FolderKind kind) {
  const std::string mark = mark_of(folder);
  const std::string_view first_line = first_line_of(kind);
  if (!mark.starts_with(first_line)) return {};
  return mark.substr(first_line.size(), mark.find('\n', first_line.size()) - first_line.size());
}

void check_markable(const fs::path& folder, FolderKind kind) {
  const fs::path mark = folder / folder_mark_name;
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(mark, ignored)) || has_folder_mark(folder, kind)) return;
  throw InputError(concat(mark.string(), " is in the way: it marks the folder for another use", what_to_do()));
}

void mark_folder(const fs::path& folder, FolderKind kind, const std::string& note) {
  check_markable(folder, kind);
  if (has_folder_mark(folder, kind) && note_in_mark(folder, kind) == note) return;
  const std::string_view end = note.empty() ? "" : "\n";
  const std::array<std::string_view, 3> parts = {first_line_of(kind), note, end};
  write_file_atomically(folder / folder_mark_name, parts);
}

void check_replaceable(const fs::path& folder) {
  const fs::file_status status = fs::status(folder);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status))
    throw InputError(concat(folder.string(), " is a file, but a folder must be written there", what_to_do()));
  if (fs::is_empty(folder)) return;
  const std::string mark = mark_of(folder);
  if (!mark.starts_with(first_line_of(FolderKind::whole)))
    throw InputError(concat(folder.string(), " would be replaced, but gausscse did not write it; it holds ",
                            list_of(names_in(folder)), what_to_do()));
  const std::vector<std::string> foreign = foreign_entries(folder, mark);
  if (!foreign.empty())
    throw InputError(concat(folder.string(), " would be replaced, but holds files that gausscse did not write: ",
                            list_of(foreign), what_to_do()));
}

bool remove_whole_folder(const fs::path& folder) {
  if (fs::is_symlink(folder)) return false;
  try {
    check_replaceable(folder);
  } catch (const InputError&) {
    return false;
  }
  std::error_code error;
  fs::remove_all(folder, error);
  if (error) throw WriteError(concat("cannot remove ", folder.string(), ": ", error.message()));
  return true;
}

void check_saved_files(const fs::path& folder, SavedFiles which) {
  for (const auto& [name, hash] : files_in_mark(folder)) {
    const fs::path file = folder / name;
    if (!is_compared(name, which)) continue;
    if (!fs::exists(file))
      throw InputError(concat(file.string(), ": is missing, which was saved with this model: copy it again from where ",
                              "it was trained; if it was removed on purpose, remove ",
                              (folder / folder_mark_name).string()));
    if (const std::string now = content_hash(file); now != hash)
      throw InputError(concat(file.string(), ": is not the file that was saved: its XXH3-128 is ", now, ", ",
                              folder_mark_name, " says ", hash,
                              ": copy it again from where it was trained; if it was changed on purpose, remove ",
                              (folder / folder_mark_name).string()));
  }
}

}  // namespace gausscse
