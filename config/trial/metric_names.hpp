#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/trial/task_settings.hpp"

namespace gausscse {

/// Names of the metrics that a task may give, by its settings alone (docs/tasks.md lists them). The metrics that it
/// does give depend on its files as well: on labels, subsets and groups that they hold.
///
///     const MetricNames names(task, has_direction(similarity));
///     if (!names.may_have("auprc")) ...
class MetricNames {
 public:
  /// Collects the names. `has_directions`: whether the model's similarity distinguishes the two directions of a pair.
  MetricNames(const TaskSettings& task, bool has_directions);

  /// Returns whether the task may give the metric. A geometry task, whose names depend on layers and ids, may give any.
  bool may_have(std::string_view name) const;
  /// Returns the names that depend on nothing but the settings.
  const std::vector<std::string>& whole() const { return whole_; }

 private:
  std::vector<std::string> whole_;
  std::vector<std::string> beginnings_;  ///< followed by a name that the files hold
};

}  // namespace gausscse
