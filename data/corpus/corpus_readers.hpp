#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "data/corpus/choices.hpp"
#include "data/corpus/corpus_layout.hpp"
#include "data/corpus/held_out_premises.hpp"
#include "data/corpus/nli_pair.hpp"
#include "data/corpus/read_report.hpp"
#include "data/corpus/row_source.hpp"
#include "data/corpus/text_readers.hpp"

namespace gausscse {

/// The kinds of corpora that are read, by their columns. Each may be CSV, tab-separated or a JSON object a line.
enum class CorpusFormat {
  nli,           ///< SNLI, MNLI, GLUE and others: gold_label or label, sentence1, sentence2 (premise, hypothesis)
  sick_full,     ///< SICK's full release: with entailment_label, entailment_AB, entailment_BA, SemEval_set
  sick_semeval,  ///< SICK as in SemEval 2014: with entailment_judgment
  triples,       ///< sent0, sent1, hard_neg (anchor, positive, negative)
};

/// Returns the kind whose columns the first row has or comes nearest to, regardless of the file's name. Throws
/// InputError if it has none of theirs, with the columns that it has and those that are read.
CorpusFormat recognise_format(const RowSource& rows, const CorpusLayout& layout = {});

/// Returns the format of a file; throws InputError too where RowSource does.
CorpusFormat detect_format(const std::filesystem::path& path, const CorpusLayout& layout = {});

/// Returns whether the first row of an NLI corpus has a column of labels.
bool has_labels(const RowSource& rows, const CorpusLayout& layout = {});

/// Returns whether the first row of triples has a column of contradicted hypotheses.
bool has_contradictions(const RowSource& rows, const CorpusLayout& layout = {});

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
  CorpusLayout layout = {};
  PremiseFilter premises = {};  ///< pairs of other premises are read and checked, but neither given nor counted
  std::size_t max_rows = 0;     ///< good rows to read from the beginning of a file; 0: all
};

using NliPairSink = std::function<void(NliPair&&)>;

/// Reads an NLI corpus: SNLI's, MNLI's, GLUE's, or SICK's full release or SemEval files, recognised by their columns
/// (see CorpusFormat), each as a JSON object a line, tab-separated or CSV (see RowSource). In SICK, sentence_A is the
/// premise. Gives `sink` each pair in the file's order, those without gold label too, and adds to `report`. Throws
/// InputError if the file cannot be read, lacks a column, or has no usable pair. On a bad line it acts as
/// options.bad_lines says. Bad are another number of fields, invalid UTF-8, an unknown label, and a sentence of nothing
/// but white space.
void for_each_nli_pair(const std::filesystem::path& path, const ReadOptions& options, ReadReport& report,
                       const NliPairSink& sink);

/// Reads the pairs of any source; `name` is shown as the path in messages.
void for_each_nli_pair(ByteSource& source, const std::string& name, const ReadOptions& options, ReadReport& report,
                       const NliPairSink& sink);

/// One triple, each text well-formed UTF-8 and not only white space. The texts are the reader's, valid during the call.
struct TripleTexts {
  std::string_view premise;
  std::string_view entailment;
  std::string_view contradiction;
};

using TripleSink = std::function<void(const TripleTexts&)>;

/// Use of the contradicted hypotheses of triples.
enum class Contradictions {
  needed,    ///< a row without one is bad
  left_out,  ///< their columns are not looked at
  if_any     ///< a row may be without, and gives triples as with `left_out` then
};

/// Options of reading triples.
struct TripleOptions {
  BadLines bad_lines = BadLines::error;
  /// Removes the white space at the ends of sentences.
  bool trim = false;
  Contradictions contradictions = Contradictions::needed;
  CorpusLayout layout = {};
  PremiseFilter premises = {};  ///< rows of other premises are read and checked, but neither given nor counted
  std::size_t max_rows = 0;     ///< good rows to read from the beginning of a file; 0: all
};

/// Reads triples from any layout of RowSource: columns sent0, sent1 and hard_neg in any order, or anchor (query),
/// positive (pos) and negative (neg). A row with several hypotheses, in JSON arrays or in columns negative_1,
/// negative_2,
/// ..., gives a triple for each pair of an entailed and a contradicted one. Without contradictions a row gives a triple
/// for each entailed one, whose `contradiction` is empty. Gives `sink` each triple in order, and adds to `report`.
/// Texts are as in the file, or trimmed. Throws InputError if the file cannot be read, lacks a column, or has no usable
/// row. On a bad row it acts as `bad_lines` says. Bad are another number of fields, invalid UTF-8, and a sentence of
/// nothing but white space.
void for_each_triple(const std::filesystem::path& path, const TripleOptions& options, ReadReport& report,
                     const TripleSink& sink);

/// Reads the triples of any source; `name` is shown as the path in messages.
void for_each_triple(ByteSource& source, const std::string& name, const TripleOptions& options, ReadReport& report,
                     const TripleSink& sink);

/// Returns the part of an example that each column of a training file holds: "premise=anchor, entailed=positive,
/// contradicted=negative". Empty where no row is good. Throws as the readers do.
std::string columns_text(const std::filesystem::path& path, Contradictions contradictions,
                         const CorpusLayout& layout = {});

}  // namespace gausscse
