#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/manifest/manifest.hpp"
#include "experiments/study/item_metric.hpp"
#include "experiments/study/study_results.hpp"

namespace gausscse {

/// Returns all metrics that done trials of a stage have, as "TASK.METRIC", in the order in which they first come. Those
/// of parts (with a dot in the metric's own name) are left out.
std::vector<std::string> metrics_of_stage(const StudyResults& results, const std::string& stage);

/// Returns a table for a study that names none: all of these metrics, all axes as rows, of the last stage that has done
/// trials, or else of the last one.
TableSettings default_table(const StudyResults& results);

/// Returns METRIC of "TASK.METRIC"; empty where the name is none.
std::string metric_in(const std::string& name);

/// Items of trials' metrics, read from their result files: only those that are asked for. A file is read once for all
/// shares of right items, and once for each other metric.
class TrialItems {
 public:
  /// A trial's metric as a function of its items.
  struct Items {
    ItemMetric metric;
    const Measurement* measured = nullptr;  ///< the same for all trials that were measured on the same items
  };

  /// Returns the items of "TASK.METRIC" of a done trial; nullptr where the result has none, or cannot be read. Those of
  /// a trial without a folder are in the columns of `StudyTrial::kept`.
  const Items* find(const StudyTrial& trial, const std::string& name);

  /// Takes the shares of a trial's tasks from its kept state with all columns, so that `find` need not read them.
  void take(const StudyTrial& trial, const StateResult& kept);

  /// Returns why the result of a trial that was asked for cannot be read; nullptr where it can.
  const std::string* problem_of(const StudyTrial& trial) const;
  /// Returns the problems of all trials that were asked for.
  std::vector<std::string> problems() const;

 private:
  /// Reads the shares of a trial's tasks, or only "TASK.METRIC" where it is another metric.
  void read(const StudyTrial& trial, const std::string& name);
  /// Adds the shares of parts, or those that are not.
  void add_shares(const StudyTrial& trial, const StateResult& kept, bool of_parts);
  void add(const StudyTrial& trial, const Measurement& task, const std::string& metric);
  const Measurement* same_items(const Measurement& measurement, const std::string& metric);

  /// Items by identity and name; nothing where the result has no such items.
  std::map<std::pair<std::string, std::string>, std::optional<Items>> items_;
  std::vector<std::unique_ptr<Measurement>> measured_;  ///< one for each set of items: their identity
  std::map<std::string, std::string> problems_;         ///< by identity
};

}  // namespace gausscse
