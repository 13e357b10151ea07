#include "config/trial/task_settings.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.hpp"
#include "data/transfer/transfer_layout.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

/// Calls `take` with the name of each member and the member.
template <typename Scoring, typename Take>
void for_each_member(Scoring& scoring, Take&& take) {
  take("two_way_pairs", scoring.two_way_pairs);
  take("no_gold_label", scoring.no_gold_label);
  take("auprc", scoring.auprc);
}

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
std::vector<fs::path> files_of_kind(const TransferTaskSettings& settings) {
  return {settings.folder};
}

std::vector<fs::path> transfer_files_of(const TransferTaskSettings& settings) {
  std::vector<fs::path> files;
  for (const TransferDataset dataset : settings.tasks)
    for (const fs::path& file : transfer_files(dataset, settings.folder))
      if (fs::exists(file)) files.push_back(file);
  return files;
}

/// Appends the text files of a folder, or the file itself.
void append_content_files(const fs::path& path, std::vector<fs::path>& files) {
  if (!fs::is_directory(path)) return files.push_back(path);
  const auto first = static_cast<std::ptrdiff_t>(files.size());
  for (const fs::directory_entry& entry : fs::directory_iterator(path))
    if (entry.is_regular_file() && entry.path().extension() == ".txt") files.push_back(entry.path());
  std::sort(files.begin() + first, files.end());
}

}  // namespace

std::map<std::string, std::string> to_words(const NliScoring& scoring) {
  std::map<std::string, std::string> words;
  for_each_member(scoring, [&](const char* name, auto choice) { words.emplace(name, std::string(name_of(choice))); });
  return words;
}

NliScoring parse_scoring(const std::map<std::string, std::string>& words) {
  NliScoring scoring;
  for_each_member(scoring, [&]<typename Choice>(const char* name, Choice& choice) {
    if (const auto found = words.find(name); found != words.end()) choice = parse_choice<Choice>(name, found->second);
  });
  return scoring;
}

setting::TaskKind kind_of(const TaskSettings& task) {
  return static_cast<setting::TaskKind>(task.of_kind.index());
}

std::vector<fs::path> files_of(const TaskSettings& task) {
  return std::visit([](const auto& of_kind) { return files_of_kind(of_kind); }, task.of_kind);
}

std::vector<fs::path> content_files_of(const TaskSettings& task) {
  if (const auto* transfer = std::get_if<TransferTaskSettings>(&task.of_kind)) return transfer_files_of(*transfer);
  std::vector<fs::path> files;
  for (const fs::path& path : files_of(task)) append_content_files(path, files);
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
