#pragma once

#include <algorithm>

#include "inference/calibration/calibration.hpp"
#include "inference/search/search_hit.hpp"

namespace gausscse {

/// Returns the probability of the entailment that was searched for: that the row entails the query, that the query
/// entails the row, or of both the smaller one.
inline double hit_probability(const SearchHit& hit, SearchDirection direction, const Calibration& calibration) {
  const auto row_entails_query = [&] {
    return calibration.probability({.forward = hit.query_given_row,
                                    .backward = hit.row_given_query,
                                    .log_var_difference = -hit.log_var_difference,
                                    .log_length_ratio = {}});
  };
  const auto query_entails_row = [&] {
    return calibration.probability({.forward = hit.row_given_query,
                                    .backward = hit.query_given_row,
                                    .log_var_difference = hit.log_var_difference,
                                    .log_length_ratio = {}});
  };
  switch (direction) {
    case SearchDirection::entails:
      return row_entails_query();
    case SearchDirection::entailed_by:
      return query_entails_row();
    case SearchDirection::both:
      break;
  }
  return std::min(row_entails_query(), query_entails_row());
}

}  // namespace gausscse
