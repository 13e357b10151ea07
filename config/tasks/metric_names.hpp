#pragma once

#include <string>
#include <string_view>
#include <vector>

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
};

}  // namespace gausscse
