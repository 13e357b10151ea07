#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "data/retrieval/retrieval_set.hpp"
#include "model/choices.hpp"

namespace gausscse {

/// Similarity that orders the documents of a query.
enum class RankedBy {
  entails,      ///< the model's similarity where the document entails the query: sim(query || document)
  entailed_by,  ///< the model's similarity where the query entails the document: sim(document || query)
  cosine        ///< the cosine, of Gaussians that of their means
};

/// Ranks, from 1 on, of each query's relevant documents, in the order of `RetrievalQuery::relevant`.
using DocumentRanks = std::vector<std::vector<std::int64_t>>;

/// Embeddings of a set: row `queries[i]` of `rows` is that of query i, row `documents[j]` that of document j.
struct RetrievalRows {
  at::Tensor rows;  ///< [n, width], float32 on the CPU; of Gaussians [mean | log_var]
  std::span<const std::int64_t> queries, documents;
};

/// Returns a copy of the rows with these numbers.
at::Tensor selected_rows(const at::Tensor& rows, std::span<const std::int64_t> numbers);

/// Ranks the documents for each query, and returns the ranks in each of the orders. Documents are ordered by falling
/// similarity in float64, equal ones by rising number; one that is left out for the query has no place. Similarities
/// are computed tile by tile of queries and documents, and memory does not grow with their product. The ranks do not
/// depend on the number of threads. Throws InputError for rows that `check_embeddings` refuses.
std::vector<DocumentRanks> document_ranks(const RetrievalRows& embeddings, std::span<const RetrievalQuery> queries,
                                          Similarity similarity, std::span<const RankedBy> orders, std::size_t threads);

}  // namespace gausscse
