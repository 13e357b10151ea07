#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "data/corpus/byte_source.hpp"
#include "data/corpus/choices.hpp"
#include "data/corpus/nli_label.hpp"
#include "data/corpus/nli_pair.hpp"
#include "data/corpus/read_report.hpp"

namespace gausscse {

/// Options of reading an NLI corpus.
struct ReadOptions {
  BadLines bad_lines = BadLines::error;
  /// Rows of SICK's full release to keep: those with this SemEval_set (TRAIN, TRIAL or TEST), all if empty. Without
  /// meaning for other layouts.
  std::string sick_set = {};
  /// Removes the white space at the ends of sentences.
  bool trim = false;
  NliLabels labels = NliLabels::three;
  /// Column or top-level JSON key whose value each pair gets as `NliPair::group`; a pair without it is a bad line.
  std::string group_key = {};
};

using NliPairSink = std::function<void(NliPair&&)>;

/// Reads an NLI corpus: SNLI's, MNLI's, GLUE's, or SICK's full release or SemEval files, recognised by their columns
/// (see CorpusFormat), each as a JSON object a line, tab-separated or CSV (see RowSource). In SICK, sentence_A is the
/// premise. Gives `sink` each pair in the file's order, those without gold label too, and adds to `report`. Throws
/// InputError if the file cannot be read, lacks a column, or has no usable pair; on a bad line (another number of
/// fields, invalid UTF-8, an unknown label, a sentence of nothing but white space) as options.bad_lines says.
void for_each_nli_pair(const std::filesystem::path& path, const ReadOptions& options, ReadReport& report,
                       const NliPairSink& sink);

/// Does the same from any source; `name` is shown as the path in messages.
void for_each_nli_pair(ByteSource& source, const std::string& name, const ReadOptions& options, ReadReport& report,
                       const NliPairSink& sink);

}  // namespace gausscse
