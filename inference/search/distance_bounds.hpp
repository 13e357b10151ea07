#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "model/choices.hpp"
#include "model/kernels/search_kernels.hpp"

namespace gausscse {

/// Memory of one thread for rows of the corpus in the form that pairs need, and numbers of each row.
struct RowScratch {
  at::Tensor rows;
  at::Tensor numbers;  ///< [4, rows]
  at::Tensor values;
};

/// Lower bounds, in float32, of a distance that falls as sim(p || q) rises: the sum of divergences for a similarity
/// that is an inner product (formula.hpp), -sim for the others. One of p and q is a query, the other one a row of the
/// corpus.
///
/// float32 has the distance d of a pair with an error: |computed - d| <= error(query) * error(row) + ... The bound is
/// the computed distance less this error. So a row whose bound is above the distance of a query's last hit can't be a
/// hit. All other rows are candidates, whose similarities are computed in float64.
class DistanceBounds {
 public:
  virtual ~DistanceBounds() = default;

  /// Prepares some rows of the corpus.
  virtual void prepare(const kernels::EmbeddedRows& rows, RowScratch& scratch) const = 0;

  /// Writes the bounds of `queries` queries from `first_query` on, and of the `rows` prepared rows: [queries, rows],
  /// into the beginning of `bounds`. If `raise`, the larger ones of these and the bounds that are there.
  virtual void compute(std::int64_t first_query, std::int64_t queries, std::int64_t rows, bool raise,
                       RowScratch& scratch, at::Tensor& bounds) const = 0;

  /// Returns the distance that no pair exceeds whose similarity in float64 is at least `similarity`, rounded up.
  virtual float distance_at(double similarity) const = 0;
};

/// Returns bounds of pairs in which `queries` are `side`.
std::unique_ptr<DistanceBounds> make_distance_bounds(const at::Tensor& queries, Similarity similarity,
                                                     kernels::PairSide side);

}  // namespace gausscse
