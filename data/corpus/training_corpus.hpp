#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "data/corpus/choices.hpp"
#include "data/corpus/read_report.hpp"

namespace gausscse {

/// A training example: numbers of its sentences.
struct Triple {
  std::uint32_t premise = 0;
  std::uint32_t entailment = 0;
  std::uint32_t contradiction = 0;

  bool operator==(const Triple&) const = default;
};

struct CorpusOptions {
  BadLines bad_lines = BadLines::error;
  TriplesPerPremise triples_per_premise = TriplesPerPremise::one;
  /// Of the choice of hypotheses. It depends on this, the premise and its hypotheses alone: not on the order of lines
  /// or files. Without meaning for `all` and for a triples CSV.
  std::uint64_t seed = 0;
  /// Whether sentences lose the white space at their ends.
  bool trim = false;
};

/// What the corpus was made from.
struct CorpusCounts {
  std::size_t pairs = 0;               ///< labelled pairs read, or rows of a triples CSV
  std::size_t without_gold_label = 0;  ///< those of `pairs` without a gold label; they make no triple
  std::size_t duplicates = 0;          ///< pairs (with label) or rows that were there already; kept only in a CSV
  std::size_t conflicting = 0;  ///< hypotheses both entailed and contradicted by one premise; they make no triple
  std::size_t bad_lines = 0;    ///< lines left out
  std::size_t premises = 0;     ///< distinct premises
  std::size_t triples = 0;
  std::size_t sentences = 0;  ///< distinct sentences of the triples

  bool operator==(const CorpusCounts&) const = default;
};

/// The triples to train on, and the distinct sentences they are made of, numbered in the order in which the triples
/// name them. The triples are in the order in which their premises come first in the files.
struct TrainingCorpus {
  std::vector<std::string> sentences;
  std::vector<Triple> triples;
  CorpusCounts counts;
  std::vector<std::string> bad_line_messages;  ///< as in ReadReport
};

/// `options` with all that has no bearing on the triples of `files` at its default: two calls that give the same give
/// the same corpus. Throws InputError if a file is missing, of no known layout, or the list is empty or mixes the two
/// kinds.
CorpusOptions effective_options(const std::vector<std::filesystem::path>& files, const CorpusOptions& options);

/// Reads the training data: NLI corpora, or one triples CSV. Two sentences are the same if their bytes are, after
/// trimming if that is asked for; what a premise entails is gathered over all files. Of SICK's full release the rows of
/// SemEval_set TRAIN are read. Throws InputError if a file cannot be read (see for_each_nli_pair and for_each_triple),
/// the list is empty or mixes the two kinds, or no triple comes out.
TrainingCorpus build_training_corpus(const std::vector<std::filesystem::path>& files, const CorpusOptions& options);

}  // namespace gausscse
