#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "data/corpus/choices.hpp"
#include "data/corpus/corpus_layout.hpp"
#include "data/corpus/read_report.hpp"

namespace gausscse {

/// Content of a file by its columns, as far as trials distinguish it.
enum class FileContent {
  labelled_pairs,  ///< premise, hypothesis and label: an NLI corpus
  triples,         ///< premise, entailed and contradicted hypothesis
  pairs,           ///< premise and entailed hypothesis
  scored_pairs     ///< two sentences and how similar people find them
};

/// A file of sentences, by its first row.
struct FileColumns {
  std::filesystem::path path;
  FileContent content = FileContent::labelled_pairs;
  std::vector<std::string> names;  ///< columns of the file
  std::string text;                ///< "premise=anchor, entailed=positive"; empty for scored pairs
};

/// Returns the columns of a file. Throws InputError where the file cannot be read, and where its columns are not known:
/// with those that it has, and how to name them.
FileColumns read_columns(const std::filesystem::path& path, const CorpusLayout& layout);

/// Counts over the beginnings of training files.
struct DataSample {
  /// Rows that are read; the number of further ones is an estimate.
  static constexpr std::size_t max_rows = 10'000;

  std::vector<FileColumns> files;
  std::vector<ReadReport> reports;  ///< counts of each file, with its bad lines
  std::size_t rows_read = 0;
  bool is_whole = true;         ///< all rows were read
  bool is_lower_bound = false;  ///< an estimate of files that are too large to be read to their ends
  double rows = 0;              ///< rows of all files
  std::size_t premises = 0;     ///< distinct premises of the rows that were read; of triples next to each other
  /// Examples of each kind that all files give; 0 of a kind that they do not have.
  double triples = 0, pairs = 0, labelled_pairs = 0;
  double triples_of_every_entailment = 0;  ///< triples under TriplesPerPremise::every_entailment; at least so many
  std::vector<std::string> sentences;      ///< sentences of the rows that were read, repeated ones too

  /// Returns the number of examples of a kind; `per_premise` has a meaning for triples alone.
  double examples(ExampleKind kind, TriplesPerPremise per_premise) const;
  /// Returns a count, or three digits of an estimate: "about 76600".
  std::string count_text(double count) const;
};

/// Reads the beginnings of training files, all of them of triples and pairs or all of pairs with labels. Rows beyond
/// `max_rows` are counted by their bytes. Throws InputError as `read_columns` and the readers of corpora do, for files
/// with scores only, for a mixture, and where no pair is labelled entailment.
DataSample sample_data(const std::vector<std::filesystem::path>& files, const CorpusLayout& layout, BadLines bad_lines,
                       std::size_t max_rows = DataSample::max_rows);

}  // namespace gausscse
