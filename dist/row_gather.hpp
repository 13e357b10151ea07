#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "dist/communicator.hpp"

namespace gausscse {

/// Gathers rows of all ranks, with exact gradients: the gradient of a gathered row is the sum over ranks of what each
/// rank's loss says of it. One collective each way, regardless of the number of groups.
class RowGather {
 public:
  /// Rank r gives rows_of_rank[r] rows to each group (0 is allowed).
  RowGather(Communicator& communicator, std::vector<std::int64_t> rows_of_rank);

  /// [groups, own rows, width] -> [groups, all rows, width], rows in rank order.
  at::Tensor gather(const at::Tensor& local);
  /// Integers that go with the rows: int64 [own rows, n] -> [all rows, n]. They travel as float64, which holds those up
  /// to 2^53 exactly.
  at::Tensor gather_integers(const at::Tensor& local);
  /// Backward of `gather`: this rank's gradient by all rows -> the summed gradient by its own rows.
  at::Tensor scatter_gradient(const at::Tensor& gradient);

 private:
  std::vector<std::int64_t> element_counts(std::int64_t groups, std::int64_t width) const;

  Communicator& communicator_;
  std::vector<std::int64_t> rows_of_rank_;
  std::int64_t total_rows_ = 0;
};

}  // namespace gausscse
