#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/trial/task_settings.hpp"
#include "evaluation/task/reading_settings.hpp"
#include "evaluation/task/task.hpp"

namespace gausscse {

/// A task in its list.
struct ListedTask {
  std::unique_ptr<Task> task;
  std::int64_t eval_every = 0;  ///< see TaskSettings
  bool development = false;     ///< see Measurement
  /// True if what it measures before the first step, where it does, is kept next to the states at the end.
  bool keep_untrained = false;
  std::int64_t keep_at = 0;         ///< steps after which what it measures is kept likewise; 0: none
  std::string threshold_from = {};  ///< the task that must be measured before it; empty: none
  std::size_t pairs = 0;            ///< number of pairs that it compares; 0 where it does not compare pairs
  std::vector<std::string> notes = {}, warnings = {};  ///< notes and warnings for the user on what it read
};

using TaskList = std::vector<ListedTask>;

/// Makes the tasks in their order. If several tasks of one kind read SICK, in any of its forms, the first alone stands
/// in averages. Throws InputError as they do.
TaskList make_tasks(std::span<const TaskSettings> settings, const SentenceModel& model, const ReadingSettings& reading);

/// Measures the tasks that are `wanted`, and those whose thresholds they need. Rank 0 has the measurements, in the
/// order of the list, those that are not wanted left out; the others have none. Collective.
std::vector<Measurement> measure_tasks(const TaskList& tasks, const std::function<bool(const ListedTask&)>& wanted,
                                       SentenceEmbedder& model, Communicator& communicator);

}  // namespace gausscse
