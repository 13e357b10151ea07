#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/schema/key.hpp"

namespace gausscse {

/// Names of the metrics that a task may give, by its settings alone (docs/tasks.md lists them). The metrics that it
/// does give depend on its files as well: on labels, subsets and groups that they hold.
struct MetricNames {
  std::vector<std::string> whole;               ///< names that depend on nothing but the settings
  std::vector<std::string> beginnings = {};     ///< followed by a name that the files hold; "": any name
  std::vector<std::string> of_directions = {};  ///< beginnings of names that need a similarity with directions

  /// Returns whether the task may give the metric.
  bool may_have(std::string_view name) const;
  /// Returns whether the metric is one that only a similarity with directions would give.
  bool needs_directions(std::string_view name) const;
  bool operator==(const MetricNames&) const = default;
};

/// Settings of a trial around a task, which the task's own must go with.
struct TrialAroundTask {
  std::int64_t eval_every = 0;  ///< see TaskSettings
  std::int64_t max_steps = 0;   ///< steps of the training; 0: those of its epochs
  bool has_classifier = false;  ///< true if the objective trains a classifier of pairs
};

/// Key of a task, and the fault of its value in this trial.
struct KeyProblem {
  std::string key, problem;
};

/// Returns a list of the path, as `TaskKindSettings` asks for; of none where it is empty.
inline std::vector<std::filesystem::path*> path_or_none(std::filesystem::path& path) {
  return path.empty() ? std::vector<std::filesystem::path*>() : std::vector{&path};
}

/// Descriptor of a kind of task: the type of its settings, whose default values are those of its keys. The list of all
/// kinds is `SettingsOfKind` (task_settings.hpp); a type that lacks a member does not compile there.
///
///     struct LengthTaskSettings {
///       std::filesystem::path file;
///       bool operator==(const LengthTaskSettings&) const = default;
///
///       static constexpr std::string_view kind = "length";
///       static constexpr bool measures_vectors = true;
///       static Keys<LengthTaskSettings> keys();
///       std::vector<std::filesystem::path*> paths() { return {&file}; }
///       ...
///     };
template <typename Settings>
concept TaskKindSettings = std::default_initializable<Settings> && std::equality_comparable<Settings> &&
    requires(Settings settings, const Settings& set, bool has_directions, const TrialAroundTask& trial) {
  /// Word of the key `kind`, also in result files and tables.
  { Settings::kind } -> std::same_as<const std::string_view&>;
  /// True if it can measure vectors that are compared by cosine, as those of a backbone without a head.
  { Settings::measures_vectors } -> std::same_as<const bool&>;
  /// Keys but `kind` and those that all kinds have.
  { Settings::keys() } -> std::same_as<Keys<Settings>>;
  /// Files and folders that the task reads; none: the examples that the trial holds out of its training files.
  { settings.paths() } -> std::same_as<std::vector<std::filesystem::path*>>;
  /// Files of a folder that are read, in their order; nothing: its text files.
  { set.files_of_folder() } -> std::same_as<std::optional<std::vector<std::filesystem::path>>>;
  /// Names of its metrics; `has_directions`: whether the model's similarity depends on the order of a pair.
  { set.metric_names(has_directions) } -> std::same_as<MetricNames>;
  /// Metrics of which a report draws maps over two axes.
  { Settings::mapped_metrics() } -> std::same_as<std::vector<std::string_view>>;
  /// Settings that do not go with the trial.
  { set.problems_in(trial) } -> std::same_as<std::vector<KeyProblem>>;
};

}  // namespace gausscse
