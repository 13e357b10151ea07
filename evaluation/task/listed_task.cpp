#include "evaluation/task/listed_task.hpp"

#include "inference/notes.hpp"

namespace gausscse {

void describe_tokens(const TokenCounts& counts, std::size_t max_tokens, const SentenceModel& model, ListedTask& task) {
  Notes notes;
  note_token_counts(task.task->name(), counts, max_tokens, model.positions, notes);
  task.notes.insert(task.notes.end(), notes.info.begin(), notes.info.end());
  task.warnings.insert(task.warnings.end(), notes.warnings.begin(), notes.warnings.end());
}

void warn_of_bad_lines(const ReadReport& report, ListedTask& task) {
  const std::vector<std::string> messages = report.bad_line_messages(task.task->name());
  task.warnings.insert(task.warnings.end(), messages.begin(), messages.end());
}

}  // namespace gausscse
