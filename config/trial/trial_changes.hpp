#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "config/trial/trial.hpp"

namespace gausscse {

/// Returns the keys of which a run that continues one of `earlier` may have another value: those that the table of keys
/// marks, and those that change no metric.
std::vector<std::string> changeable_keys(const Trial& earlier);

/// Returns the changed settings of `trial`, which continues one of `earlier`, for a message: "training.max_steps: 20,
/// now 40". Keys that change no metric are left out. Throws InputError that names every key that may not change, with
/// both values, and those that may.
std::vector<std::string> changes_between(const Trial& earlier, const Trial& trial);

/// Returns the names of the tasks of `trial` that measure the same as those of the same name in `earlier`, perhaps
/// after other numbers of steps. A task with the threshold of another is one of these only if that one is.
/// `has_same_files` returns whether the files of a task have the content that they had.
std::set<std::string> tasks_in_common(const Trial& earlier, const Trial& trial,
                                      const std::function<bool(const std::string& task)>& has_same_files);

}  // namespace gausscse
