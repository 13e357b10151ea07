#include "inference/search/top_rows.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "inference/search/best_hits.hpp"
#include "inference/search/check_embeddings.hpp"
#include "inference/search/distance_bounds.hpp"
#include "model/parallel_tasks.hpp"
#include "model/similarities/list.hpp"

namespace gausscse {

namespace {

using kernels::EmbeddedRows;
using kernels::PairSide;

/// Rows that a task compares with all queries, and queries at once: their bounds take 4 MB.
constexpr std::int64_t rows_of_task = 1024, queries_at_once = 1024;

at::Tensor rows_of_floats(const at::Tensor& rows) {
  GAUSSCSE_CHECK(rows.dim() == 2 && rows.is_cpu() && rows.scalar_type() == at::kFloat, "rows of float32 on the CPU");
  return rows.contiguous();
}

/// Does fast what check_embeddings does, without the row's number.
bool can_be_compared(const EmbeddedRows& rows, Similarity similarity) {
  const std::int64_t log_vars = is_gaussian(similarity) ? rows.width / 2 : 0, values = rows.width - log_vars;
  for (std::int64_t row = 0; row < rows.count; ++row) {
    const float* of_row = rows.rows + row * rows.width;
    if (!kernels::search_kernels().all_within(of_row, values, std::numeric_limits<float>::max()) ||
        !kernels::search_kernels().all_within(of_row + values, log_vars, highest_log_var))
      return false;
  }
  return true;
}

}  // namespace

struct TopRows::State {
  /// Row that can be a hit.
  struct Candidate {
    float bound;
    std::int32_t row;
    /// For heaps: the smallest bound in front.
    bool operator<(const Candidate& other) const { return bound > other.bound; }
  };

  /// Memory of one thread.
  struct TaskScratch {
    RowScratch sides[2];
    at::Tensor bounds;
    std::vector<std::int32_t> within;
    std::vector<Candidate> candidates;
  };

  struct QueryState {
    explicit QueryState(BestHits none) : best(std::move(none)) {}
    BestHits best;
    std::mutex mutex{};
  };

  at::Tensor queries;
  Similarity similarity;
  SearchDirection direction;
  std::vector<std::unique_ptr<DistanceBounds>> sides;  ///< bounds of the pairs that order the hits: one, or both
  std::vector<std::unique_ptr<QueryState>> best;
  std::vector<TaskScratch> scratch;  ///< memory of each thread
  std::atomic<std::uint64_t> exact_pairs = 0;

  /// Adds the rows of the corpus from `first_row` on to the hits of all queries.
  void add(const EmbeddedRows& rows, std::uint64_t first_row, TaskScratch& with, const std::function<void()>& watch) {
    for (std::size_t side = 0; side < sides.size(); ++side) sides[side]->prepare(rows, with.sides[side]);
    const std::int64_t count = queries.size(0), at_once = std::min(count, queries_at_once);
    if (!with.bounds.defined()) with.bounds = at::empty({at_once * rows_of_task}, at::kFloat);
    with.within.resize(static_cast<std::size_t>(rows.count));
    for (std::int64_t first = 0; first < count; first += queries_at_once) {
      const std::int64_t some = std::min(queries_at_once, count - first);
      for (std::size_t side = 0; side < sides.size(); ++side)
        sides[side]->compute(first, some, rows.count, side > 0, with.sides[side], with.bounds);
      for (std::int64_t query = 0; query < some; ++query) {
        if (watch) watch();
        add_candidates(first + query, with.bounds.const_data_ptr<float>() + query * rows.count, rows, first_row, with);
      }
    }
  }

 private:
  /// Adds to the hits of a query the rows whose bounds admit it. The most promising ones are compared first, as each
  /// hit may exclude others.
  void add_candidates(std::int64_t query, const float* bounds, const EmbeddedRows& rows, std::uint64_t first_row,
                      TaskScratch& with) {
    QueryState& state = *best[static_cast<std::size_t>(query)];
    const auto threshold = [&] {
      const std::lock_guard lock(state.mutex);
      return state.best.is_full() ? sides.front()->distance_at(state.best.threshold())
                                  : std::numeric_limits<float>::infinity();
    };
    const std::int64_t found =
        kernels::search_kernels().rows_within(bounds, rows.count, threshold(), with.within.data());
    if (found == 0) return;
    with.candidates.clear();
    for (std::int64_t i = 0; i < found; ++i) {
      const std::int32_t row = with.within[static_cast<std::size_t>(i)];
      const float bound = bounds[row];
      with.candidates.push_back({std::isnan(bound) ? -std::numeric_limits<float>::infinity() : bound, row});
    }
    std::make_heap(with.candidates.begin(), with.candidates.end());
    const float* of_query = queries.const_data_ptr<float>() + query * rows.width;
    std::uint64_t exact = 0;
    while (!with.candidates.empty() && with.candidates.front().bound <= threshold()) {
      const std::int64_t row = with.candidates.front().row;
      std::pop_heap(with.candidates.begin(), with.candidates.end());
      with.candidates.pop_back();
      const SearchHit hit = exact_hit(of_query, rows.rows + row * rows.width, rows.width, similarity,
                                      first_row + static_cast<std::uint64_t>(row));
      ++exact;
      const std::lock_guard lock(state.mutex);
      state.best.add(hit);
    }
    exact_pairs += exact;
  }
};

TopRows::TopRows(at::Tensor queries, Similarity similarity, SearchDirection direction, std::size_t top,
                 std::size_t threads)
    : state_(std::make_unique<State>()) {
  GAUSSCSE_CHECK(top >= 1 && threads >= 1, "a search for rows, by threads");
  GAUSSCSE_CHECK(!is_gaussian(similarity) || queries.size(1) % 2 == 0, "rows of Gaussians are [mean | log_var]");
  state_->queries = rows_of_floats(queries);
  state_->similarity = similarity;
  state_->direction = direction;
  state_->scratch.resize(threads);
  check_embeddings(state_->queries, similarity, "query", 0);
  for (std::int64_t query = 0; query < state_->queries.size(0); ++query)
    state_->best.push_back(std::make_unique<State::QueryState>(BestHits(direction, top)));
  if (direction != SearchDirection::entailed_by || !has_direction(similarity))
    state_->sides.push_back(make_distance_bounds(state_->queries, similarity, PairSide::p));
  if (direction != SearchDirection::entails && has_direction(similarity))
    state_->sides.push_back(make_distance_bounds(state_->queries, similarity, PairSide::q));
}

TopRows::TopRows(TopRows&&) noexcept = default;
TopRows& TopRows::operator=(TopRows&&) noexcept = default;
TopRows::~TopRows() = default;

void TopRows::add(const at::Tensor& rows, std::uint64_t first_row, const std::function<void()>& watch) {
  const at::Tensor block = rows_of_floats(rows);
  const std::int64_t width = state_->queries.size(1), count = block.size(0);
  if (block.size(1) != width)
    throw InputError(concat("rows of the corpus have ", block.size(1), " numbers, queries have ", width,
                            ": both must be embeddings of one model"));
  const float* values = block.const_data_ptr<float>();
  const auto threads = static_cast<std::int64_t>(state_->scratch.size());
  const std::int64_t of_task = std::clamp((count + threads - 1) / threads, std::int64_t{1}, rows_of_task);
  std::atomic<bool> refused = false;
  run_tasks((count + of_task - 1) / of_task, static_cast<int>(threads), [&](std::int64_t task, int thread) {
    const std::int64_t begin = task * of_task;
    const EmbeddedRows some{values + begin * width, std::min(of_task, count - begin), width};
    if (can_be_compared(some, state_->similarity))
      state_->add(some, first_row + static_cast<std::uint64_t>(begin),
                  state_->scratch[static_cast<std::size_t>(thread)], thread == 0 ? watch : std::function<void()>());
    else
      refused = true;
  });
  if (refused) check_embeddings(block, state_->similarity, "row", first_row);
}

void TopRows::merge(const std::vector<std::vector<SearchHit>>& hits) {
  GAUSSCSE_CHECK(hits.size() == state_->best.size(), "hits of the same queries");
  for (std::size_t query = 0; query < hits.size(); ++query)
    for (const SearchHit& hit : hits[query]) state_->best[query]->best.add(hit);
}

std::vector<std::vector<SearchHit>> TopRows::hits() const {
  std::vector<std::vector<SearchHit>> hits;
  hits.reserve(state_->best.size());
  for (const auto& query : state_->best) hits.push_back(query->best.sorted());
  return hits;
}

std::uint64_t TopRows::exact_pairs() const {
  return state_->exact_pairs;
}

}  // namespace gausscse
