#include "config/tasks/task_settings.hpp"

#include <algorithm>

#include "config/schema/key_kinds.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

/// Returns the key `kind`, which is read before the other keys, as they depend on it.
Key<TaskSettings> kind_key() {
  return {.name = "kind",
          .allowed = listed_words<setting::TaskKind>(),
          .meaning = "Kind of the task.",
          .required = true,
          .read = [](const YamlNode&, const KeyContext&, TaskSettings&) {},
          .write = [](const TaskSettings& task, YAML::Emitter& out) { out << std::string(name_of(kind_of(task))); }};
}

template <typename Settings>
Keys<TaskSettings> keys_of_kind() {
  Keys<TaskSettings> keys{kind_key()};
  const auto settings_of = [](auto& task) -> auto& {
    return std::get<Settings>(task.of_kind);
  };
  for (const Key<Settings>& key : Settings::keys()) keys.push_back(key_of_part<TaskSettings>(key, settings_of));
  keys.push_back(key_kinds::key("eval_every", key_kinds::at(&TaskSettings::eval_every),
                                key_kinds::integer(0, key_kinds::many),
                                "Steps between evaluations during training; 0: evaluate only at the end."));
  return keys;
}

/// Defaults and keys of a kind of task.
struct Kind {
  SettingsOfKind defaults;
  Keys<TaskSettings> keys;
};

template <typename... Settings>
std::vector<Kind> all_kinds(const std::variant<Settings...>*) {
  return {{Settings{}, keys_of_kind<Settings>()}...};
}

const Kind& kind_at(setting::TaskKind kind) {
  static const std::vector<Kind> kinds = all_kinds(static_cast<const SettingsOfKind*>(nullptr));
  return kinds.at(static_cast<std::size_t>(kind));
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

bool MetricNames::may_have(std::string_view name) const {
  const auto begins = [&](const std::string& beginning) {
    return name.size() > beginning.size() && name.starts_with(beginning);
  };
  return std::find(whole.begin(), whole.end(), name) != whole.end() ||
         std::any_of(beginnings.begin(), beginnings.end(), begins);
}

bool MetricNames::needs_directions(std::string_view name) const {
  return std::any_of(of_directions.begin(), of_directions.end(),
                     [&](const std::string& beginning) { return name.starts_with(beginning); });
}

TaskSettings default_task(std::string name, setting::TaskKind kind) {
  return {std::move(name), 0, kind_at(kind).defaults};
}

const Keys<TaskSettings>& task_keys(setting::TaskKind kind) {
  return kind_at(kind).keys;
}

std::vector<fs::path*> paths_of(TaskSettings& task) {
  return std::visit([](auto& settings) { return settings.paths(); }, task.of_kind);
}

std::vector<fs::path> files_of(const TaskSettings& task) {
  TaskSettings copy = task;
  std::vector<fs::path> files;
  for (const fs::path* path : paths_of(copy)) files.push_back(*path);
  return files;
}

std::optional<std::vector<fs::path>> files_of_folder(const TaskSettings& task) {
  return std::visit([](const auto& settings) { return settings.files_of_folder(); }, task.of_kind);
}

std::vector<fs::path> content_files_of(const TaskSettings& task) {
  if (std::optional<std::vector<fs::path>> chosen = files_of_folder(task)) return *std::move(chosen);
  std::vector<fs::path> files;
  for (const fs::path& path : files_of(task)) append_content_files(path, files);
  return files;
}

MetricNames metric_names_of(const TaskSettings& task, bool has_directions) {
  return std::visit([&](const auto& settings) { return settings.metric_names(has_directions); }, task.of_kind);
}

std::vector<KeyProblem> problems_of(const TaskSettings& task, const TrialAroundTask& trial) {
  return std::visit([&](const auto& settings) { return settings.problems_in(trial); }, task.of_kind);
}

std::vector<std::string_view> mapped_metrics_of(std::string_view kind) {
  const auto known = find_choice<setting::TaskKind>(kind);
  if (!known) return {};
  return std::visit([](const auto& settings) { return settings.mapped_metrics(); }, kind_at(*known).defaults);
}

}  // namespace gausscse
