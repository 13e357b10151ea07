#include "inference/search/search_hit.hpp"

#include "model/objective/similarity.hpp"
#include "model/similarities/list.hpp"

namespace gausscse {

namespace {

double mean_of(const float* values, std::int64_t count) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += static_cast<double>(values[i]);
  return sum / static_cast<double>(count);
}

}  // namespace

SearchHit exact_hit(const float* query, const float* row, std::int64_t width, Similarity similarity,
                    std::uint64_t number_of_row) {
  const double query_given_row = row_similarity(query, row, width, similarity);
  SearchHit hit{number_of_row, query_given_row, query_given_row, 0};
  if (has_direction(similarity)) hit.row_given_query = row_similarity(row, query, width, similarity);
  const std::int64_t dimension = width / 2;
  if (is_gaussian(similarity) && dimension > 0)
    hit.log_var_difference = mean_of(row + dimension, dimension) - mean_of(query + dimension, dimension);
  return hit;
}

}  // namespace gausscse
