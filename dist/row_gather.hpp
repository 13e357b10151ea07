#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "dist/communicator.hpp"
#include "dist/retry_scope.hpp"

namespace gausscse {

/// Gathers rows of all ranks, with exact gradients: the gradient of a gathered row is the sum over ranks of the
/// gradients of each rank's loss by it. One collective each way, regardless of the number of groups.
///
///     RowGather gather(communicator, {4, 3});                  // rank 0 has 4 rows, rank 1 has 3
///     const at::Tensor all = gather.gather(own);               // [groups, own rows, width] -> [groups, 7, width]
///     const at::Tensor by_all = gradient_of_own_loss(all);     // of the shape of `all`
///     const at::Tensor by_own = gather.scatter_gradient(by_all);  // of the shape of `own`, summed over ranks
class RowGather {
 public:
  /// Prepares gathering of rows_of_rank[r] rows of rank r to each group (0 is allowed). Memory is taken before each
  /// collective, by `parts`.
  RowGather(Communicator& communicator, std::vector<std::int64_t> rows_of_rank, RetryScope& parts = without_retry());

  /// Gathers [groups, own rows, width] -> [groups, all rows, width], rows in rank order.
  at::Tensor gather(const at::Tensor& local);
  /// Integers that go with the rows: int64 [own rows, n] -> [all rows, n]. They travel as float64, which holds those up
  /// to 2^53 exactly.
  at::Tensor gather_integers(const at::Tensor& local);
  /// Returns the backward of `gather`: this rank's gradient by all rows -> the summed gradient by its own rows.
  at::Tensor scatter_gradient(const at::Tensor& gradient);

 private:
  std::vector<std::int64_t> element_counts(std::int64_t groups, std::int64_t width) const;

  Communicator& communicator_;
  std::vector<std::int64_t> rows_of_rank_;
  RetryScope& parts_;
  std::int64_t total_rows_ = 0;
};

}  // namespace gausscse
