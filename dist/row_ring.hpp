#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "dist/communicator.hpp"
#include "dist/retry_scope.hpp"

namespace gausscse {

/// Rows of a rank that travel at once.
inline constexpr std::int64_t usual_rows_of_ring = 512;

/// Shows each rank the rows of all ranks, as they travel around the ring of ranks: some rows of every rank, then the
/// next ones of every rank. Besides its own rows a rank holds those that travel, and their gradient where that travels,
/// too, each twice: the incoming and the outgoing ones. A rank sees its own first, then those of the rank before it,
/// and so on.
class RowRing {
 public:
  /// Prepares a ring in which rank r has rows_of_rank[r] rows (0 is allowed), of which `rows_at_once` travel at once.
  /// Memory is taken before the first collective, by `parts`.
  RowRing(Communicator& communicator, std::vector<std::int64_t> rows_of_rank,
          std::int64_t rows_at_once = usual_rows_of_ring, RetryScope& parts = without_retry());

  /// `rows` [groups, n, width] are some of a rank, from row `first` of all on.
  using Visit = std::function<void(const at::Tensor& rows, std::int64_t first)>;
  using VisitWithGradient = std::function<void(const at::Tensor& rows, std::int64_t first, const at::Tensor& gradient)>;

  /// Shows all rows, of which `own` [groups, own rows, width] are this rank's.
  void visit(const at::Tensor& own, const Visit& use);
  /// Visits the rows of all ranks, while their gradient travels with them: `use` adds to it the gradient of this rank's
  /// loss. When the rows are home again the sum over all ranks is added to `own_gradient`, of the shape of `own`.
  void visit_with_gradient(const at::Tensor& own, at::Tensor own_gradient, const VisitWithGradient& use);

  /// Returns the bytes that the travelling rows take, of groups and width like `own`; their gradient takes as many.
  std::int64_t bytes_that_travel(const at::Tensor& own) const;

 private:
  /// The rows of each rank that travel together.
  struct RingPass {
    std::vector<std::int64_t> begin, count;  ///< by rank, begin among the rank's own rows
  };
  /// Rows of some rank on their way, in one of two places; the other place takes the rows that come.
  class Travelling;

  /// Returns the most rows of a rank that travel at once.
  std::int64_t rows_that_travel() const;
  RingPass pass_from(std::int64_t begin) const;
  template <typename Use>
  void for_each_pass(const Use& use) const;
  /// Returns the rank whose rows rank `rank` holds after this many shifts.
  std::size_t source(int rank, int shifts) const;
  /// Returns the first of the rows, among all, that are here after this many shifts.
  std::int64_t first_row(const RingPass& ring_pass, int shifts) const;

  Communicator& communicator_;
  std::vector<std::int64_t> rows_of_rank_, first_rows_;
  std::int64_t rows_at_once_;
  RetryScope& parts_;
};

}  // namespace gausscse
