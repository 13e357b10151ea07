#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/corpus/read_report.hpp"
#include "data/corpus/token_counts.hpp"
#include "evaluation/task/task.hpp"
#include "inference/sentence_model.hpp"

namespace gausscse {

/// A task in its list.
struct ListedTask {
  std::unique_ptr<Task> task;
  std::int64_t eval_every = 0;  ///< see TaskSettings
  bool development = false;     ///< see Measurement
  /// True if its measurement before the first step, where there is one, is kept next to the states at the end.
  bool keep_untrained = false;
  std::int64_t keep_at = 0;         ///< steps after which its measurement is kept likewise; 0: none
  std::string threshold_from = {};  ///< the task that must be measured before it; empty: none
  std::size_t pairs = 0;            ///< number of pairs that it compares; 0 where it does not compare pairs
  bool of_sick = false;             ///< true if it measures SICK, in any of its forms
  std::vector<std::string> notes = {}, warnings = {};  ///< notes and warnings for the user on its inputs
};

/// Adds the notes of `note_token_counts` on the task's sentences, which `model` embeds cut to `max_tokens`.
void describe_tokens(const TokenCounts& counts, std::size_t max_tokens, const SentenceModel& model, ListedTask& task);

/// Adds warnings of the lines that were left out, if there are any.
void warn_of_bad_lines(const ReadReport& report, ListedTask& task);

}  // namespace gausscse
