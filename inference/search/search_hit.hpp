#pragma once

#include <cstdint>

#include "base/choice.hpp"
#include "model/choices.hpp"

namespace gausscse {

/// Rows that a search looks for, and the similarity that orders them. A similarity without a direction (`wasserstein`,
/// `cosine`) gives the same rows for all three.
enum class SearchDirection {
  entails,      ///< rows that entail the query, by sim(query || row)
  entailed_by,  ///< rows that the query entails, by sim(row || query)
  both          ///< rows that mean the same as the query, by the smaller of the two similarities
};
template <>
inline constexpr NameTable<SearchDirection, 3> names<SearchDirection>{{{SearchDirection::entails, "entails"},
                                                                       {SearchDirection::entailed_by, "entailed-by"},
                                                                       {SearchDirection::both, "both"}}};

/// Row that a search found for a query. The similarities are `row_similarity` (model/objective/similarity.hpp): the
/// formula of `pairwise_similarity`, which `score` prints rounded to float32, in float64.
struct SearchHit {
  std::uint64_t row;
  double query_given_row;     ///< sim(query || row)
  double row_given_query;     ///< sim(row || query)
  double log_var_difference;  ///< mean log-variance of the row minus that of the query; 0 for plain vectors
};

/// Returns the similarity that orders hits.
constexpr double ordering_similarity(const SearchHit& hit, SearchDirection direction) {
  switch (direction) {
    case SearchDirection::entails:
      return hit.query_given_row;
    case SearchDirection::entailed_by:
      return hit.row_given_query;
    case SearchDirection::both:
      break;
  }
  return hit.query_given_row < hit.row_given_query ? hit.query_given_row : hit.row_given_query;
}

/// Returns whether `a` comes before `b` in a result: by falling similarity, of equal ones the lower row first.
constexpr bool comes_before(const SearchHit& a, const SearchHit& b, SearchDirection direction) {
  const double of_a = ordering_similarity(a, direction), of_b = ordering_similarity(b, direction);
  return of_a != of_b ? of_a > of_b : a.row < b.row;
}

/// Returns the hit of a query and a row, [mean | log_var] or plain vectors of `width` numbers each.
SearchHit exact_hit(const float* query, const float* row, std::int64_t width, Similarity similarity,
                    std::uint64_t number_of_row);

}  // namespace gausscse
