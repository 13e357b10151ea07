#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/tasks/task_settings.hpp"
#include "config/trial/trial.hpp"

namespace gausscse {

/// Tasks of a stage's trials, as far as their settings are known, to check names of metrics before anything is trained.
class StageTasks {
 public:
  /// Adds the tasks of a trial. Where only a part of its settings is known, it may have others, and other objectives.
  void add(const Trial& trial, bool is_partial);

  /// Returns the fault of the metric "TASK.METRIC" or "average.KIND.METRIC"; empty if there is none. One trial must
  /// have the task, with `of_all` each of them; `listed` are the metrics that an average can take, of which it needs
  /// two. `stage` is the stage's name, for the text.
  std::string problem_of(const std::string& metric, const std::string& stage, bool of_all,
                         const std::vector<std::string>& listed) const;

 private:
  struct Task {
    std::size_t trials = 0;
    std::string kind;
    std::vector<MetricNames> names;  ///< each once
  };

  std::string problem_of_average(const std::string& metric, const std::vector<std::string>& listed) const;
  std::string problem_of_task(const std::string& task, const std::string& stage, bool of_all) const;

  std::size_t trials_ = 0;
  bool some_are_unknown_ = false;
  std::map<std::string, Task> tasks_;
};

}  // namespace gausscse
