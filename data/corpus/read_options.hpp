#pragma once

#include <string>

#include "data/corpus/choices.hpp"
#include "data/corpus/nli_label.hpp"

namespace gausscse {

/// How an NLI corpus is read.
struct ReadOptions {
  BadLines bad_lines = BadLines::error;
  /// Rows of SICK's full release to keep: those with this SemEval_set (TRAIN, TRIAL or TEST), all if empty. Without
  /// meaning for other layouts.
  std::string sick_set = {};
  /// Whether sentences lose the white space at their ends.
  bool trim = false;
  NliLabels labels = NliLabels::three;
  /// Column or top-level JSON key whose value each pair gets as `NliPair::group`; a pair without it is a bad line.
  std::string group_key = {};
};

}  // namespace gausscse
