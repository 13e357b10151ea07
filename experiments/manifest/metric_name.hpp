#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gausscse {

/// Returns the metrics that a table's `figure` is made of: "TASK.METRIC" is itself, "mean(TASK.METRIC, TASK.METRIC,
/// ...)" those between the brackets; none for a text of another form.
std::vector<std::string> metrics_named(std::string_view metric);

/// Returns "TASK" of "TASK.METRIC".
std::string task_of_metric(std::string_view name);

/// Returns whether a name is "average.KIND.METRIC": a mean over the tasks of a kind whose metric a table lists.
bool is_average(std::string_view name);

/// Kind and metric of an average.
struct AverageName {
  std::string kind, metric;
};

/// Divides a name that `is_average`.
AverageName divided_average(const std::string& name);

/// Returns "TASK.METRIC" of "backbone.TASK.METRIC", the backbone's; any other name as it is.
std::string_view without_backbone(std::string_view name);

/// Returns the backbone's metric in place of a table's `figure`: "backbone.TASK.METRIC", or the mean of these.
std::string of_backbone(std::string_view metric);

}  // namespace gausscse
