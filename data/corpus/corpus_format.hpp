#pragma once

#include <filesystem>

#include "data/corpus/row_source.hpp"

namespace gausscse {

/// The kinds of corpora that are read, by their columns. Each may be CSV, tab-separated or a JSON object a line.
enum class CorpusFormat {
  nli,           ///< SNLI, MNLI, GLUE and others: gold_label or label, sentence1, sentence2
  sick_full,     ///< SICK's full release: with entailment_label, entailment_AB, entailment_BA, SemEval_set
  sick_semeval,  ///< SICK as in SemEval 2014: with entailment_judgment
  triples,       ///< sent0, sent1, hard_neg
};

/// Returns the kind whose columns the first row has or comes nearest to, regardless of the file's name. Throws
/// InputError if it has none of theirs, with the columns that it has and those that are read.
CorpusFormat recognise_format(const RowSource& rows);

/// Returns the same for a file; InputError too where RowSource throws it.
CorpusFormat detect_format(const std::filesystem::path& path);

}  // namespace gausscse
