#include "evaluation/task/listed_task.hpp"

#include "base/error.hpp"

namespace gausscse {

void warn_of_cut_sentences(std::size_t cut, std::size_t max_tokens, ListedTask& task) {
  if (cut > 0)
    task.warnings.push_back(
        concat(task.task->name(), ": ", cut, " sentences have more than ", max_tokens, " tokens and are cut"));
}

void warn_of_bad_lines(const ReadReport& report, ListedTask& task) {
  if (report.bad_lines > 0)
    task.warnings.push_back(concat(task.task->name(), ": ", report.bad_lines, " bad lines are left out"));
  task.warnings.insert(task.warnings.end(), report.bad_line_messages.begin(), report.bad_line_messages.end());
}

}  // namespace gausscse
