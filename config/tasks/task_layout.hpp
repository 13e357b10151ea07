#pragma once

#include <vector>

#include "config/schema/key.hpp"
#include "config/tasks/task_kind.hpp"
#include "data/corpus/corpus_layout.hpp"

namespace gausscse {

/// Kind of the pairs in a task's files.
enum class TaskPairs { labelled, scored };

/// Returns the keys `columns.NAME` and `labels.NAME` of a task's own files.
Keys<CorpusLayout> task_layout_keys(TaskPairs pairs);

/// Appends these keys to those of a kind whose settings have the member `layout`.
template <typename Settings>
Keys<Settings> with_layout_keys(Keys<Settings> keys, TaskPairs pairs) {
  for (const Key<CorpusLayout>& key : task_layout_keys(pairs))
    keys.push_back(key_of_part<Settings>(
        key, [](auto& settings) -> auto& { return settings.layout; }));
  return keys;
}

/// Returns a problem where a value means two labels. The keys are those of `task_layout_keys`.
std::vector<KeyProblem> problems_of_labels(const CorpusLayout& layout);

/// Returns `problem` for each name that is set.
std::vector<KeyProblem> problems_of_names(const CorpusLayout& layout, const char* problem);

/// Returns a problem for each name that is set: there are no files which the names could be of.
std::vector<KeyProblem> problems_without_files(const CorpusLayout& layout);

}  // namespace gausscse
