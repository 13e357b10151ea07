#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "inference/search/hit_answers.hpp"

namespace gausscse {

/// Row that a search found, with all that is printed of it.
struct FoundRow {
  std::uint64_t query;  ///< counted from 0
  std::uint64_t rank;   ///< counted from 1, for each query
  SearchHit hit;
  /// Nothing of a model without calibration, and of a row that is not the best by a calibration of hits.
  std::optional<double> probability;
  const char* verdict;  ///< "found" or "abstains" of the best row at a risk; else null
  std::string text;     ///< the row's, where texts are known
};

/// Answer of `search`.
struct SearchAnswer {
  Similarity similarity;
  SearchDirection direction;
  std::uint64_t queries, rows;  ///< number searched for, and searched
  bool has_texts;
  std::vector<FoundRow> found;  ///< rows of each query, the best first
  /// Calibration of hits behind the probabilities; null: another one, or none.
  const HitAnswers* of_hits = nullptr;

  bool has_verdicts() const { return of_hits && of_hits->risk() > 0; }
};

/// Formats of an answer's file.
enum class SearchFormat { tsv, jsonl, hdf5 };

/// Returns the format for the suffix of a name: .tsv, .jsonl, .h5 or .hdf5. Throws InputError for any other.
SearchFormat search_format(const std::filesystem::path& path);

/// Returns the names of the columns, with tabs between them. The column `verdict` is there with a risk.
std::string search_header(const SearchAnswer& answer);
/// Returns a line for each row that was found: columns with tabs between them, empty where there is no value. Control
/// characters of texts, such as tabs, are escaped.
std::string search_lines(const SearchAnswer& answer);
/// Returns one JSON document, "gausscse-search/1"; by a calibration of hits with the member "calibration".
std::string search_json(const SearchAnswer& answer);

/// Returns the bytes of a file in this format. tsv has a header and lines; jsonl an object a line, with the values
/// under the names of the columns. HDF5 has a dataset a column ("query", "rank", "row" whole numbers, NaN where there
/// is no value), and attributes.
std::string search_file(const SearchAnswer& answer, SearchFormat format);

}  // namespace gausscse
