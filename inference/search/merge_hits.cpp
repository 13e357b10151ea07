#include "inference/search/merge_hits.hpp"

#include <ATen/ops/empty.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

namespace {

using Hits = std::vector<std::vector<SearchHit>>;

/// Numbers of a hit as they travel; float64 holds rows up to 2^53 exactly.
constexpr std::int64_t numbers_of_hit = 4;

at::Tensor tensor_of(const Hits& hits, std::int64_t hits_of_query) {
  at::Tensor numbers = at::empty({static_cast<std::int64_t>(hits.size()), hits_of_query, numbers_of_hit}, at::kDouble);
  auto* next = numbers.mutable_data_ptr<double>();
  for (const std::vector<SearchHit>& of_query : hits)
    for (const SearchHit& hit : of_query)
      for (const double number :
           {static_cast<double>(hit.row), hit.query_given_row, hit.row_given_query, hit.log_var_difference})
        *next++ = number;
  return numbers;
}

Hits hits_of(const at::Tensor& numbers) {
  const auto* next = numbers.const_data_ptr<double>();
  Hits hits(static_cast<std::size_t>(numbers.size(0)));
  for (std::vector<SearchHit>& of_query : hits)
    for (std::int64_t i = 0; i < numbers.size(1); ++i, next += numbers_of_hit)
      of_query.push_back({static_cast<std::uint64_t>(next[0]), next[1], next[2], next[3]});
  return hits;
}

}  // namespace

void merge_hits_of_ranks(TopRows& search, Communicator& communicator) {
  const Hits own = search.hits();
  // Every query has as many hits: `top`, or as many as the rank had rows.
  const std::vector<std::string> counts =
      communicator.all_gather_text(concat(own.empty() ? std::size_t{0} : own.front().size()));
  for (int rank = 1; rank < communicator.size(); ++rank) {
    const bool sends = rank == communicator.rank();
    const auto hits_of_query = static_cast<std::int64_t>(std::stoull(counts[static_cast<std::size_t>(rank)]));
    if (hits_of_query == 0) continue;
    at::Tensor numbers =
        sends ? tensor_of(own, hits_of_query)
              : at::empty({static_cast<std::int64_t>(own.size()), hits_of_query, numbers_of_hit}, at::kDouble);
    communicator.broadcast(numbers, rank);
    if (communicator.is_root()) search.merge(hits_of(numbers));
  }
}

}  // namespace gausscse
