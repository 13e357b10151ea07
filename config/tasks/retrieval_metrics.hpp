#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace gausscse {

/// Metrics of a ranking of documents, each of which is the mean of its queries' values.
inline constexpr std::array<std::string_view, 6> retrieval_metrics{"recall_at_1", "recall_at_10", "recall_at_100",
                                                                   "mrr_at_10",   "ndcg_at_10",   "map"};

/// Beginnings of the names of metrics of other rankings than that by the model's similarity where the document entails
/// the query. They are by the similarity where the query entails the document, and by the cosine of Gaussians' means.
inline constexpr const char* entailed_by_prefix = "entailed_by_";
inline constexpr const char* cosine_prefix = "cosine_";

/// Returns whether a metric is one of a ranking, with a beginning or without.
inline bool is_retrieval_metric(std::string_view name) {
  for (const std::string_view prefix : {entailed_by_prefix, cosine_prefix})
    if (name.starts_with(prefix)) {
      name.remove_prefix(prefix.size());
      break;
    }
  return std::find(retrieval_metrics.begin(), retrieval_metrics.end(), name) != retrieval_metrics.end();
}

}  // namespace gausscse
