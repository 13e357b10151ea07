#include "evaluation/retrieval/document_ranks.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include <algorithm>

#include "base/error.hpp"
#include "inference/search/similarity_matrix.hpp"
#include "model/parallel_tasks.hpp"

namespace gausscse {

namespace {

/// Queries and documents of a tile: the similarities of an order take 16 MiB.
constexpr std::size_t queries_of_tile = 1024, documents_of_tile = 2048;

/// Returns the similarities that give an order, [queries, documents] in float64.
at::Tensor ordering_similarities(const at::Tensor& queries, const at::Tensor& documents, Similarity similarity,
                                 RankedBy order, std::size_t threads) {
  const auto vectors = [&](const at::Tensor& rows) {
    return is_gaussian(similarity) ? rows.narrow(1, 0, rows.size(1) / 2) : rows;
  };
  switch (order) {
    case RankedBy::entails:
      return exact_similarity_matrix(queries, documents, similarity, threads);
    case RankedBy::entailed_by:
      return exact_similarity_matrix(documents, queries, similarity, threads).t().contiguous();
    case RankedBy::cosine:
      break;
  }
  return exact_similarity_matrix(vectors(queries), vectors(documents), Similarity::cosine, threads);
}

/// Returns the number of documents of a tile, from `first` on, that come before a relevant one in the ranking of a
/// query.
std::int64_t count_before(const RelevantDocument& relevant, double own, const RetrievalQuery& query, std::size_t first,
                          std::span<const double> similarities) {
  const std::size_t place = relevant.document;
  const auto comes_before = [&](std::size_t j) {
    if (first + j == place) return false;
    return similarities[j] > own || (similarities[j] == own && first + j < place);
  };
  std::int64_t before = 0;
  for (std::size_t j = 0; j < similarities.size(); ++j) before += comes_before(j);
  if (!query.left_out || *query.left_out < first || *query.left_out - first >= similarities.size()) return before;
  return before - comes_before(*query.left_out - first);
}

}  // namespace

at::Tensor selected_rows(const at::Tensor& rows, std::span<const std::int64_t> numbers) {
  at::Tensor places = at::empty({static_cast<std::int64_t>(numbers.size())}, at::kLong);
  std::copy(numbers.begin(), numbers.end(), places.mutable_data_ptr<std::int64_t>());
  return rows.index_select(0, places);
}

std::vector<DocumentRanks> document_ranks(const RetrievalRows& embeddings, std::span<const RetrievalQuery> queries,
                                          Similarity similarity, std::span<const RankedBy> orders,
                                          std::size_t threads) {
  GAUSSCSE_CHECK(embeddings.queries.size() == queries.size(), embeddings.queries.size(), " and ", queries.size());
  std::vector<DocumentRanks> ranks(orders.size());
  std::vector<std::vector<std::vector<double>>> own(orders.size());  // similarities of relevant documents
  for (std::size_t query = 0; query < queries.size(); ++query) {
    std::vector<std::int64_t> relevant;
    for (const RelevantDocument& each : queries[query].relevant)
      relevant.push_back(embeddings.documents[each.document]);
    const at::Tensor of_query = selected_rows(embeddings.rows, embeddings.queries.subspan(query, 1));
    const at::Tensor of_relevant = selected_rows(embeddings.rows, relevant);
    for (std::size_t order = 0; order < orders.size(); ++order) {
      const at::Tensor values = ordering_similarities(of_query, of_relevant, similarity, orders[order], 1);
      const double* const begin = values.const_data_ptr<double>();
      own[order].emplace_back(begin, begin + relevant.size());
      ranks[order].emplace_back(relevant.size(), 1);
    }
  }
  const auto part = [](std::span<const std::int64_t> all, std::size_t begin, std::size_t size) {
    return all.subspan(begin, std::min(size, all.size() - begin));
  };
  for (std::size_t query = 0; query < queries.size(); query += queries_of_tile) {
    const at::Tensor of_queries = selected_rows(embeddings.rows, part(embeddings.queries, query, queries_of_tile));
    for (std::size_t document = 0; document < embeddings.documents.size(); document += documents_of_tile) {
      const auto documents = part(embeddings.documents, document, documents_of_tile);
      const at::Tensor of_documents = selected_rows(embeddings.rows, documents);
      for (std::size_t order = 0; order < orders.size(); ++order) {
        const at::Tensor values = ordering_similarities(of_queries, of_documents, similarity, orders[order], threads);
        run_tasks(values.size(0), static_cast<int>(threads), [&](std::int64_t i, int) {
          const std::size_t number = query + static_cast<std::size_t>(i);
          const std::span row{values.const_data_ptr<double>() + i * values.size(1), documents.size()};
          for (std::size_t r = 0; r < queries[number].relevant.size(); ++r)
            ranks[order][number][r] +=
                count_before(queries[number].relevant[r], own[order][number][r], queries[number], document, row);
        });
      }
    }
  }
  return ranks;
}

}  // namespace gausscse
