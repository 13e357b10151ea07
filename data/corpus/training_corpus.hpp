#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "data/corpus/choices.hpp"
#include "data/corpus/corpus_layout.hpp"
#include "data/corpus/read_report.hpp"
#include "data/corpus/string_table.hpp"

namespace gausscse {

/// SemEval_set of the rows of SICK's full release that a training reads.
inline constexpr const char* set_to_train_on = "TRAIN";

struct CorpusOptions {
  BadLines bad_lines = BadLines::error;
  /// Choice of triples, without meaning for pairs and for a file of triples.
  TriplesPerPremise triples_per_premise = TriplesPerPremise::one;
  /// Seed of the choice of hypotheses. The choice depends on it, the premise and its hypotheses alone: not on the order
  /// of lines or files. A hypothesis that `every_entailment` draws for a premise without others depends on that order,
  /// too. Without meaning for `all`, for pairs and for a file of triples.
  std::uint64_t seed = 0;
  /// Removes the white space at the ends of sentences.
  bool trim = false;
  ExampleKind examples = ExampleKind::triples;
  CorpusLayout layout = {};
  /// Share of the premises that are held out, see `is_held_out`: their rows are read and checked, but make no example
  /// and are not counted. 0 <= dev_fraction < 1.
  double dev_fraction = 0;
};

/// Counts of the pairs of which the corpus was made.
struct CorpusCounts {
  std::size_t pairs = 0;               ///< labelled pairs read, or rows of a file of triples
  std::size_t without_gold_label = 0;  ///< number of `pairs` without a gold label; they make no example
  /// Triples of NLI corpora: pairs (with label) that were there already and count once. Else: examples (with label, if
  /// they have one) that were there already, which are kept.
  std::size_t duplicates = 0;
  /// Hypotheses both entailed and contradicted by one premise, which make no triple; 0 where the examples are read as
  /// they are.
  std::size_t conflicting = 0;
  std::size_t bad_lines = 0;  ///< lines left out
  std::size_t premises = 0;   ///< distinct premises: triples of NLI corpora, of all pairs; else of the examples
  std::size_t examples = 0;
  std::size_t sentences = 0;  ///< distinct sentences of the examples

  bool operator==(const CorpusCounts&) const = default;
};

/// The examples to train on, and the distinct sentences they are made of, numbered in the order in which the examples
/// name them. The roles of an example are premise, hypothesis (entailed, unless the examples have labels) and, in a
/// triple, contradicted hypothesis. Triples of NLI corpora are in the order in which their premises come first in the
/// files, rows of a file of triples and pairs in that of the files.
struct TrainingCorpus {
  StringTable sentences;
  /// Number of sentences up to the end of each file, [files]. A sentence is of the file in which an example first names
  /// it; a triple of an NLI corpus is of the file in which its premise comes first.
  std::vector<std::size_t> sentences_of_files;
  std::size_t roles = 0;                         ///< sentences of an example
  std::vector<std::uint32_t> example_sentences;  ///< their numbers, [examples x roles]
  std::vector<std::uint32_t> labels;             ///< for labelled pairs the NliLabel of each, [examples]; else empty
  CorpusCounts counts;
  std::vector<std::string> bad_line_messages;  ///< messages of ReadReport
};

/// Receiver of the distinct sentences of a corpus, in the order of their numbers, while the files are read.
class SentenceSink {
 public:
  virtual ~SentenceSink() = default;

  /// Takes the next sentence, which is valid during the call.
  virtual void add(std::string_view sentence) = 0;

  /// Ends the sentences of a file (see TrainingCorpus::sentences_of_files).
  virtual void end_file() = 0;
};

/// Returns true for files of triples, false for NLI corpora. Throws InputError if a file is missing, of no known
/// layout, or the list is empty or mixes the two.
bool are_triples(const std::vector<std::filesystem::path>& files, const CorpusLayout& layout);

/// Returns `options` with all that has no effect on the examples of `files` at its default: two calls that give the
/// same give the same corpus. Throws InputError as `are_triples` does.
CorpusOptions effective_options(const std::vector<std::filesystem::path>& files, const CorpusOptions& options);

/// Reads the training data: NLI corpora, or files of triples, whose first two columns are its entailment pairs. Two
/// sentences are the same if their bytes are, after trimming if that is asked for. The hypotheses of a premise are
/// gathered over all files. In SICK's full release the rows of `set_to_train_on` are read. Throws InputError if a file
/// cannot be read (see for_each_nli_pair and for_each_triple), or the list is empty or mixes NLI corpora with triples.
/// Also if labelled pairs are asked of triples, or no example comes out. Gives each sentence to `sink`, if there is
/// one, as soon as it is known.
TrainingCorpus build_training_corpus(const std::vector<std::filesystem::path>& files, const CorpusOptions& options,
                                     SentenceSink* sink = nullptr);

}  // namespace gausscse
