#include "experiments/trial/task_settings.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace gausscse {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> files_of_kind(const NliTaskSettings& settings) {
  return {settings.file};
}
std::vector<fs::path> files_of_kind(const StsTaskSettings& settings) {
  return settings.files;
}
std::vector<fs::path> files_of_kind(const GeometryTaskSettings& settings) {
  return {settings.file};
}
std::vector<fs::path> files_of_kind(const NliLabelsTaskSettings& settings) {
  return {settings.file};
}

}  // namespace

setting::TaskKind kind_of(const TaskSettings& task) {
  return static_cast<setting::TaskKind>(task.of_kind.index());
}

std::vector<fs::path> files_of(const TaskSettings& task) {
  return std::visit([](const auto& of_kind) { return files_of_kind(of_kind); }, task.of_kind);
}

std::vector<fs::path> content_files_of(const TaskSettings& task) {
  std::vector<fs::path> files;
  for (const fs::path& path : files_of(task)) {
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    const auto first = static_cast<std::ptrdiff_t>(files.size());
    for (const fs::directory_entry& entry : fs::directory_iterator(path))
      if (entry.is_regular_file() && entry.path().extension() == ".txt") files.push_back(entry.path());
    std::sort(files.begin() + first, files.end());
  }
  return files;
}

std::string threshold_task_of(const TaskSettings& task) {
  const auto* nli = std::get_if<NliTaskSettings>(&task.of_kind);
  return !nli || nli->threshold == own_threshold || fixed_threshold_of(*nli) ? "" : nli->threshold;
}

std::optional<double> fixed_threshold_of(const NliTaskSettings& task) {
  double value = 0;
  const char* end = task.threshold.data() + task.threshold.size();
  const auto [read_to, error] = std::from_chars(task.threshold.data(), end, value);
  return error == std::errc() && read_to == end && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace gausscse
