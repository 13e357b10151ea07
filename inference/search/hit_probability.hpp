#pragma once

#include <algorithm>

#include "inference/calibration/calibration.hpp"
#include "inference/search/search_hit.hpp"

namespace gausscse {

/// Returns the evidence on a hit of an entailment: that the row entails the query (`entails`), or for `entailed_by`
/// that the query entails the row. Neither the lengths nor the cosine are known.
inline PairEvidence hit_evidence(const SearchHit& hit, SearchDirection direction) {
  if (direction == SearchDirection::entailed_by)
    return {
        .forward = hit.row_given_query, .backward = hit.query_given_row, .log_var_difference = hit.log_var_difference};
  return {
      .forward = hit.query_given_row, .backward = hit.row_given_query, .log_var_difference = -hit.log_var_difference};
}

/// Returns the probability of the entailment that was searched for: that the row entails the query, that the query
/// entails the row, or of both the smaller one.
inline double hit_probability(const SearchHit& hit, SearchDirection direction, const Calibration& calibration) {
  const auto probability = [&](SearchDirection of) { return calibration.probability(hit_evidence(hit, of)); };
  if (direction != SearchDirection::both) return probability(direction);
  return std::min(probability(SearchDirection::entails), probability(SearchDirection::entailed_by));
}

}  // namespace gausscse
