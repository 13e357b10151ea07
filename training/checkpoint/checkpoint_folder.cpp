#include "training/checkpoint/checkpoint_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "base/folder_mark.hpp"
#include "training/checkpoint/checkpoint_file.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "step-";
constexpr std::string_view suffix = ".safetensors";
constexpr std::size_t kept = 2;

std::string name_of(std::int64_t step) {
  char number[32];
  std::snprintf(number, sizeof number, "%09lld", static_cast<long long>(step));
  return concat(prefix, number, suffix);
}

/// Returns the step of a name that `name_of` gives; nothing for any other.
std::optional<std::int64_t> step_of(std::string_view name) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
  std::int64_t step = 0;
  std::from_chars(name.data() + prefix.size(), name.data() + name.size() - suffix.size(), step);
  return step >= 0 && name == name_of(step) ? std::optional(step) : std::nullopt;
}

/// Returns the steps by the names of the files in `folder`, rising.
std::vector<std::int64_t> steps_in(const fs::path& folder) {
  std::vector<std::int64_t> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (const auto step = step_of(entry->path().filename().string())) found.push_back(*step);
  if (error && error != std::errc::no_such_file_or_directory)
    throw SystemError(concat("cannot list the checkpoints in ", folder.string(), ": ", error.message()));
  std::sort(found.begin(), found.end());
  return found;
}

bool is_marked(const fs::path& folder) {
  return has_folder_mark(folder, FolderKind::checkpoints);
}

}  // namespace

bool CheckpointFolder::is_own_name(std::string_view name) {
  return name == folder_mark_name || step_of(name);
}

void CheckpointFolder::check() const {
  const fs::file_status status = fs::status(folder_);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status))
    throw InputError(concat(folder_.string(), " is a file, but checkpoints must be written there: move it"));
  check_markable(folder_, FolderKind::checkpoints);
  if (is_marked(folder_)) return;
  const std::vector<std::int64_t> foreign = steps_in(folder_);
  if (!foreign.empty())
    throw InputError(concat(file(foreign.front()).string(),
                            " has the name of a checkpoint, but no run wrote it: move it (it is not removed)"));
}

fs::path CheckpointFolder::file(std::int64_t step) const {
  return folder_ / name_of(step);
}

std::vector<std::int64_t> CheckpointFolder::steps() const {
  return is_marked(folder_) ? steps_in(folder_) : std::vector<std::int64_t>();
}

void CheckpointFolder::write(const TrainingState& state) const {
  std::error_code error;
  // Not the folder around it: where that one was renamed, a run that was taken over would make it again.
  const bool made = fs::create_directory(folder_, error);
  if (error) throw WriteError(file_calls::refused_write_text(folder_, "mkdir", error.value()));
  if (made) file_calls::sync(file_calls::open_for_sync(folder_.parent_path()), folder_.parent_path());
  check();
  mark_folder(folder_, FolderKind::checkpoints);
  write_checkpoint(file(state.step), state);
  verify_checkpoint(file(state.step));
  const std::vector<std::int64_t> there = steps();
  for (std::size_t i = 0; i + kept < there.size(); ++i) fs::remove(file(there[i]), error);
}

std::optional<TrainingState> CheckpointFolder::newest(std::vector<std::string>& problems) const {
  const std::vector<std::int64_t> there = steps();
  for (auto step = there.rbegin(); step != there.rend(); ++step) {
    try {
      return read_checkpoint(file(*step));
    } catch (const DamagedCheckpoint& problem) {
      problems.emplace_back(problem.what());
      std::error_code ignored;
      fs::remove(file(*step), ignored);
    }
  }
  return std::nullopt;
}

void CheckpointFolder::remove_step(std::int64_t step) const {
  std::error_code error;
  fs::remove(file(step), error);
  if (error)
    throw WriteError(concat("cannot remove ", file(step).string(), ": ", error.message(),
                            file_calls::write_remedy(folder_, error.value())));
}

void CheckpointFolder::keep_newest() const {
  const std::vector<std::int64_t> there = steps();
  for (std::size_t i = 0; i + 1 < there.size(); ++i) remove_step(there[i]);
}

void CheckpointFolder::remove() const {
  for (const std::int64_t step : steps()) remove_step(step);
  std::error_code error;
  if (is_marked(folder_)) fs::remove(folder_ / folder_mark_name, error);
  // Fails, as it should, where something else is in it.
  ::rmdir(folder_.c_str());
}

}  // namespace gausscse
