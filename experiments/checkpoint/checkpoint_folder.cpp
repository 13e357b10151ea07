#include "experiments/checkpoint/checkpoint_folder.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "experiments/checkpoint/checkpoint_file.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "step-";
constexpr std::string_view suffix = ".safetensors";
constexpr std::size_t kept = 2;

std::optional<std::int64_t> step_of(const std::string& name) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
  const char* begin = name.data() + prefix.size();
  const char* end = name.data() + name.size() - suffix.size();
  std::int64_t step = 0;
  const auto [stop, error] = std::from_chars(begin, end, step);
  return error == std::errc() && stop == end ? std::optional(step) : std::nullopt;
}

}  // namespace

fs::path CheckpointFolder::file(std::int64_t step) const {
  char number[32];
  std::snprintf(number, sizeof number, "%09lld", static_cast<long long>(step));
  return folder_ / concat(prefix, number, suffix);
}

std::vector<std::int64_t> CheckpointFolder::steps() const {
  std::vector<std::int64_t> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error))
    if (const auto step = step_of(entry->path().filename().string())) found.push_back(*step);
  if (error && error != std::errc::no_such_file_or_directory)
    throw SystemError(concat("cannot list the checkpoints in ", folder_.string(), ": ", error.message()));
  std::sort(found.begin(), found.end());
  return found;
}

void CheckpointFolder::write(const TrainingState& state) const {
  std::error_code error;
  const bool made = fs::create_directories(folder_, error);
  if (error) throw WriteError(concat("cannot write ", folder_.string(), ": mkdir: ", error.message()));
  if (made) file_calls::sync(file_calls::open_for_sync(folder_.parent_path()), folder_.parent_path());
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

void CheckpointFolder::remove() const {
  std::error_code error;
  fs::remove_all(folder_, error);
  if (error) throw WriteError(concat("cannot remove ", folder_.string(), ": ", error.message()));
}

}  // namespace gausscse
