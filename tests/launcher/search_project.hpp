#pragma once

#include "tests/launcher/program.hpp"
#include "tests/launcher/tiny_model.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

using Formula = double (*)(const Embedding&, const Embedding&);

constexpr std::size_t dimension_of_search = 32;

/// Columns of a line that `search` prints.
struct PrintedRow {
  std::size_t query = 0, rank = 0, row = 0;
  double forward = 0, backward = 0;
  std::string probability, log_var_difference, text;
};

/// Returns the lines that `search` printed.
std::vector<PrintedRow> printed_rows(const std::string& output);

/// Returns the first rows of a file of embeddings, [mean | log_var].
std::vector<Embedding> encoded_rows(const std::string& path, std::size_t rows);

/// Returns the mean log-variance of an embedding.
double mean_log_var_of(const Embedding& row);

/// Writes a file of embeddings as `encode` would, without attributes.
void write_rows(const std::string& path, const std::vector<Embedding>& rows);

/// Returns reproducible Gaussians of `dimension_of_search` dimensions.
std::vector<Embedding> random_rows(std::size_t count, std::uint64_t seed);

/// A saved model, a corpus of 300 sentences with an empty and an equal one, and 9 queries.
class Search : public TinyProjectTest {
 protected:
  Search();

  /// Encodes both files and keeps their embeddings.
  void encode_both();
  /// Returns the rows that are the best for a query by the float64 formula, equal ones in their order.
  std::vector<std::size_t> best_rows(const Embedding& query, const std::string& direction, Formula similarity,
                                     std::size_t top) const;
  /// Expects that `search` printed the best rows of each query, with both similarities.
  void expect_best(const std::string& output, const std::string& direction, Formula similarity, std::size_t top);
  /// Returns the arguments of a search by files of text, and `more`.
  std::vector<std::string> search(const std::vector<std::string>& more = {}) const;

  std::string model_, corpus_file_, queries_file_;
  std::vector<std::string> sentences_, queries_;
  std::vector<Embedding> rows_, query_rows_;
};

}  // namespace gausscse
