#include "tests/launcher/search_project.hpp"

#include <algorithm>
#include <sstream>

#include "base/error.hpp"
#include "base/philox.hpp"
#include "results/embeddings_file.hpp"
#include "tests/results/read_matrix.hpp"

namespace gausscse {

std::vector<PrintedRow> printed_rows(const std::string& output) {
  std::vector<PrintedRow> rows;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> columns;
    std::istringstream rest(line);
    for (std::string column; std::getline(rest, column, '\t');) columns.push_back(column);
    columns.resize(8);
    rows.push_back({std::stoul(columns[0]), std::stoul(columns[1]), std::stoul(columns[2]), std::stod(columns[3]),
                    std::stod(columns[4]), columns[5], columns[6], columns[7]});
  }
  return rows;
}

std::vector<Embedding> encoded_rows(const std::string& path, std::size_t rows) {
  const std::vector<float> mean = read_matrix(path, "/mean", rows, dimension_of_search),
                           log_var = read_matrix(path, "/log_var", rows, dimension_of_search);
  std::vector<Embedding> embeddings;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto first = static_cast<std::ptrdiff_t>(row * dimension_of_search);
    Embedding embedding(mean.begin() + first, mean.begin() + first + dimension_of_search);
    embedding.insert(embedding.end(), log_var.begin() + first, log_var.begin() + first + dimension_of_search);
    embeddings.push_back(std::move(embedding));
  }
  return embeddings;
}

double mean_log_var_of(const Embedding& row) {
  double sum = 0;
  for (std::size_t d = dimension_of_search; d < row.size(); ++d) sum += static_cast<double>(row[d]);
  return sum / dimension_of_search;
}

void write_rows(const std::string& path, const std::vector<Embedding>& rows) {
  const std::size_t dimension = rows.front().size() / 2;
  std::vector<float> mean, log_var;
  for (const Embedding& row : rows) {
    const auto middle = row.begin() + static_cast<std::ptrdiff_t>(dimension);
    mean.insert(mean.end(), row.begin(), middle);
    log_var.insert(log_var.end(), middle, row.end());
  }
  EmbeddingsWriter writer(path, {"mean", "log_var"}, static_cast<std::int64_t>(rows.size()),
                          static_cast<std::int64_t>(dimension));
  writer.append({mean, log_var});
  writer.commit();
}

std::vector<Embedding> random_rows(std::size_t count, std::uint64_t seed) {
  PhiloxStream stream(seed, 3);
  std::vector<Embedding> rows(count, Embedding(2 * dimension_of_search));
  for (Embedding& row : rows)
    for (std::size_t d = 0; d < row.size(); ++d)
      row[d] = static_cast<float>(d < dimension_of_search ? stream.uniform() - 0.5 : 2 * stream.uniform() - 2);
  return rows;
}

Search::Search() : model_(path("saved")) {
  save_tiny_model(project_, model_, {});
  sentences_ = tiny_sentences(300, 1);
  sentences_[200] = sentences_[100];
  sentences_[7] = "";
  queries_ = tiny_sentences(9, 2);
  queries_[3] = sentences_[100];
  corpus_file_ = file("corpus.txt", lines_of(sentences_));
  queries_file_ = file("queries.txt", lines_of(queries_));
}

void Search::encode_both() {
  for (const std::string name : {"corpus", "queries"})
    run_expecting(0, {"encode", model_, path(name + ".txt"), path(name + ".h5"), "--overwrite"});
  rows_ = encoded_rows(path("corpus.h5"), sentences_.size());
  query_rows_ = encoded_rows(path("queries.h5"), queries_.size());
}

std::vector<std::size_t> Search::best_rows(const Embedding& query, const std::string& direction, Formula similarity,
                                           std::size_t top) const {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const double forward = similarity(query, rows_[row]), backward = similarity(rows_[row], query);
    order.emplace_back(direction == "entails"       ? forward
                       : direction == "entailed-by" ? backward
                                                    : std::min(forward, backward),
                       row);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < std::min(top, order.size()); ++i) rows.push_back(order[i].second);
  return rows;
}

void Search::expect_best(const std::string& output, const std::string& direction, Formula similarity, std::size_t top) {
  const std::vector<PrintedRow> printed = printed_rows(output);
  const std::size_t found = std::min(top, rows_.size());
  ASSERT_EQ(printed.size(), query_rows_.size() * found);
  for (std::size_t query = 0; query < query_rows_.size(); ++query) {
    const std::vector<std::size_t> best = best_rows(query_rows_[query], direction, similarity, top);
    for (std::size_t i = 0; i < found; ++i) {
      SCOPED_TRACE(concat("query ", query, ", rank ", i + 1));
      const PrintedRow& row = printed[query * found + i];
      EXPECT_EQ(row.query, query);
      EXPECT_EQ(row.rank, i + 1);
      ASSERT_EQ(row.row, best[i]);
      EXPECT_NEAR(row.forward, similarity(query_rows_[query], rows_[best[i]]), 5.1e-7);
      EXPECT_NEAR(row.backward, similarity(rows_[best[i]], query_rows_[query]), 5.1e-7);
      EXPECT_NEAR(std::stod(row.log_var_difference),
                  mean_log_var_of(rows_[best[i]]) - mean_log_var_of(query_rows_[query]), 5.1e-7);
    }
  }
}

std::vector<std::string> Search::search(const std::vector<std::string>& more) const {
  return with({"search", model_, corpus_file_, queries_file_}, more);
}

}  // namespace gausscse
