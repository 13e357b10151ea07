#include "inference/search/top_rows.hpp"

#include <utility>

#include "base/error.hpp"
#include "inference/search/check_embeddings.hpp"
#include "model/parallel_tasks.hpp"

namespace gausscse {

namespace {

at::Tensor rows_of_floats(const at::Tensor& rows) {
  GAUSSCSE_CHECK(rows.dim() == 2 && rows.is_cpu() && rows.scalar_type() == at::kFloat, "rows of float32 on the CPU");
  return rows.contiguous();
}

}  // namespace

TopRows::TopRows(at::Tensor queries, Similarity similarity, SearchDirection direction, std::size_t top,
                 std::size_t threads)
    : queries_(rows_of_floats(queries)),
      similarity_(similarity),
      direction_(direction),
      threads_(static_cast<int>(threads)),
      best_(static_cast<std::size_t>(queries_.size(0)), BestHits(direction, top)) {
  GAUSSCSE_CHECK(top >= 1, "a search for no rows");
  GAUSSCSE_CHECK(!is_gaussian(similarity) || queries_.size(1) % 2 == 0, "rows of Gaussians are [mean | log_var]");
  check_embeddings(queries_, similarity_, "query", 0);
}

void TopRows::add(const at::Tensor& rows, std::uint64_t first_row) {
  const at::Tensor block = rows_of_floats(rows);
  if (block.size(1) != queries_.size(1))
    throw InputError(concat("rows of the corpus have ", block.size(1), " numbers, queries have ", queries_.size(1),
                            ": both must be embeddings of one model"));
  check_embeddings(block, similarity_, "row", first_row);
  const float *const values = block.const_data_ptr<float>(), *const queries = queries_.const_data_ptr<float>();
  const std::int64_t width = block.size(1);
  run_tasks(queries_.size(0), threads_, [&](std::int64_t query, int) {
    BestHits& best = best_[static_cast<std::size_t>(query)];
    for (std::int64_t i = 0; i < block.size(0); ++i)
      best.add(exact_hit(queries + query * width, values + i * width, width, similarity_,
                         first_row + static_cast<std::uint64_t>(i)));
  });
}

void TopRows::merge(const std::vector<std::vector<SearchHit>>& hits) {
  GAUSSCSE_CHECK(hits.size() == best_.size(), "hits of the same queries");
  for (std::size_t query = 0; query < best_.size(); ++query)
    for (const SearchHit& hit : hits[query]) best_[query].add(hit);
}

std::vector<std::vector<SearchHit>> TopRows::hits() const {
  std::vector<std::vector<SearchHit>> hits;
  hits.reserve(best_.size());
  for (const BestHits& best : best_) hits.push_back(best.sorted());
  return hits;
}

}  // namespace gausscse
