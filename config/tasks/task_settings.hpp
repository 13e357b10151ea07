#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/choice.hpp"
#include "config/schema/key.hpp"
#include "config/tasks/geometry_task_settings.hpp"
#include "config/tasks/nli_labels_task_settings.hpp"
#include "config/tasks/nli_task_settings.hpp"
#include "config/tasks/retrieval_task_settings.hpp"
#include "config/tasks/sts_task_settings.hpp"
#include "config/tasks/task_kind.hpp"
#include "config/tasks/transfer_task_settings.hpp"

namespace gausscse {

template <TaskKindSettings... Settings>
using ListOfKinds = std::variant<Settings...>;

/// All kinds of tasks, in the order of messages and of docs/trial_keys.md.
using SettingsOfKind = ListOfKinds<NliTaskSettings, StsTaskSettings, GeometryTaskSettings, NliLabelsTaskSettings,
                                   TransferTaskSettings, RetrievalTaskSettings>;

namespace setting {

/// Kind of a task: its place in SettingsOfKind.
enum class TaskKind : std::size_t {};

}  // namespace setting

template <typename... Settings>
constexpr NameTable<setting::TaskKind, sizeof...(Settings)> names_of_kinds(const std::variant<Settings...>*) {
  std::size_t place = 0;
  return {{{setting::TaskKind{place++}, Settings::kind}...}};
}

template <>
inline constexpr auto names<setting::TaskKind> = names_of_kinds(static_cast<const SettingsOfKind*>(nullptr));

/// A task under the user's name for it.
struct TaskSettings {
  std::string name;
  /// Steps between its measurements while training; 0: only the states at the end of training are measured.
  std::int64_t eval_every = 0;
  SettingsOfKind of_kind;
  bool operator==(const TaskSettings&) const = default;
};

inline setting::TaskKind kind_of(const TaskSettings& task) {
  return setting::TaskKind{task.of_kind.index()};
}

/// Returns a task with the defaults of its kind, which reads no file yet.
TaskSettings default_task(std::string name, setting::TaskKind kind);

/// Returns the keys of a task of this kind.
const Keys<TaskSettings>& task_keys(setting::TaskKind kind);

/// Returns every file and folder that the task reads, to be changed in place or as copies.
std::vector<std::filesystem::path*> paths_of(TaskSettings& task);
std::vector<std::filesystem::path> files_of(const TaskSettings& task);

/// Returns whether the task measures the examples that a trial holds out of its training files, as it names no file.
inline bool measures_held_out(const TaskSettings& task) {
  return files_of(task).empty();
}

/// Returns the files of the task's folder that it reads, where it does not read all text files.
std::optional<std::vector<std::filesystem::path>> files_of_folder(const TaskSettings& task);

/// Returns the files of these, in their order; of a folder `files_of_folder`, or else the text files in it, by name.
std::vector<std::filesystem::path> content_files_of(const TaskSettings& task);

/// Returns the names of its metrics; `has_directions`: whether the model's similarity distinguishes the two directions
/// of a pair.
///
///     const MetricNames names = metric_names_of(task, has_direction(similarity));
///     if (!names.may_have("auprc")) ...
MetricNames metric_names_of(const TaskSettings& task, bool has_directions);

/// Returns the settings that do not go with the trial.
std::vector<KeyProblem> problems_of(const TaskSettings& task, const TrialAroundTask& trial);

/// Returns the metrics of a kind of which a report draws maps; none where no kind has this word.
std::vector<std::string_view> mapped_metrics_of(std::string_view kind);

}  // namespace gausscse
