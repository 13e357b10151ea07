#pragma once

#include <cstdint>
#include <span>

namespace gausscse {

/// A document that is relevant to a query, in the ranking of all documents.
struct RankedDocument {
  std::int64_t rank;  ///< place in the ranking, from 1 on; no two documents have the same
  double grade;       ///< its relevance, above 0
};

// Metrics of the ranking of one query, as trec_eval 9 defines them. `relevant` has all documents that are relevant to
// the query, one at least, in any order.

/// Returns the share of the relevant documents that are among the first k: trec_eval's recall_k.
double recall_at(std::int64_t k, std::span<const RankedDocument> relevant);

/// Returns 1 / rank of the first relevant document, 0 where it is not among the first k: recip_rank of k documents.
double reciprocal_rank_at(std::int64_t k, std::span<const RankedDocument> relevant);

/// Returns the normalised discounted cumulative gain of the first k, ndcg_cut_k (Järvelin and Kekäläinen 2002):
///
///   sum over relevant documents with rank <= k of grade / log2(rank + 1),
///
/// divided by the same sum of the best ranking, in which grades fall.
double ndcg_at(std::int64_t k, std::span<const RankedDocument> relevant);

/// Returns the average precision over the whole ranking, trec_eval's map: the mean over the relevant documents of the
/// share of relevant ones among the documents down to this one.
double average_precision(std::span<const RankedDocument> relevant);

}  // namespace gausscse
