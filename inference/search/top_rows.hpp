#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "inference/search/search_hit.hpp"

namespace gausscse {

/// Exact search for the `top` rows of a corpus that are most similar to each of some queries. The corpus comes in
/// blocks, so that memory does not grow with it.
///
///     TopRows search(queries, Similarity::joint, SearchDirection::entails, 10, threads);
///     for (const auto& [block, first_row] : corpus) search.add(block, first_row);
///     search.merge(hits_of_another_rank);
///     const std::vector<std::vector<SearchHit>> hits = search.hits();  // of each query, the best first
///
/// Similarities are computed in float64 from mean and log-variance; equal ones are ordered by rising row. Hits are the
/// same for any blocks, threads and ranks. A pass in float32 (distance_bounds.hpp) finds the rows that can be hits: its
/// error is bounded, and where the bound is not small enough, more rows are compared in float64.
class TopRows {
 public:
  /// `queries` and all rows are float32 on the CPU, [n, width], as embed_file gives them. `top` is at least 1. Throws
  /// InputError for a query that holds a number that is not finite, or a log-variance beyond `highest_log_var`
  /// (check_embeddings.hpp).
  TopRows(at::Tensor queries, Similarity similarity, SearchDirection direction, std::size_t top, std::size_t threads);
  TopRows(TopRows&&) noexcept;
  TopRows& operator=(TopRows&&) noexcept;
  ~TopRows();

  /// Adds rows of the corpus; the first one is row `first_row` of it, and no row may be added twice. Contiguous rows
  /// are not copied. Throws InputError for rows of another width; and, as for queries, for the first row that can't be
  /// compared, with its number: the hits are then incomplete. `watch` is called now and then, on the thread that
  /// called; what it throws ends the search, whose hits are then incomplete.
  void add(const at::Tensor& rows, std::uint64_t first_row, const std::function<void()>& watch = {});

  /// Adds the hits of other rows of the corpus, for the same queries, as another TopRows gives them.
  void merge(const std::vector<std::vector<SearchHit>>& hits);

  /// Returns the hits of each query, the best first: `top` of them, or as many as there are rows.
  std::vector<std::vector<SearchHit>> hits() const;

  /// Returns the number of pairs so far whose similarities were computed in float64. It depends on blocks and threads.
  std::uint64_t exact_pairs() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gausscse
