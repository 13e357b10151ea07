#include "dist/row_gather.hpp"

#include <ATen/ops/empty.h>

#include "base/error.hpp"

namespace gausscse {

RowGather::RowGather(Communicator& communicator, std::vector<std::int64_t> rows_of_rank, RetryScope& parts)
    : communicator_(communicator), rows_of_rank_(std::move(rows_of_rank)), parts_(parts) {
  GAUSSCSE_CHECK(static_cast<int>(rows_of_rank_.size()) == communicator.size(), "one number of rows a rank");
  for (const std::int64_t rows : rows_of_rank_) total_rows_ += rows;
}

std::vector<std::int64_t> RowGather::element_counts(std::int64_t groups, std::int64_t width) const {
  std::vector<std::int64_t> counts;
  for (const std::int64_t rows : rows_of_rank_) counts.push_back(rows * groups * width);
  return counts;
}

at::Tensor RowGather::gather(const at::Tensor& local) {
  const std::int64_t groups = local.size(0), width = local.size(2);
  const std::vector<std::int64_t> counts = element_counts(groups, width);
  at::Tensor by_rank, all;
  parts_.retryable([&] {
    by_rank = at::empty({groups * total_rows_ * width}, local.options());
    if (communicator_.size() > 1) all = at::empty({groups, total_rows_, width}, local.options());
  });
  communicator_.all_gather(local, counts, by_rank);
  if (communicator_.size() == 1) return by_rank.view({groups, total_rows_, width});
  // Each rank's part is [groups, its rows, width]: put the groups together.
  std::int64_t element = 0, row = 0;
  for (const std::int64_t rows : rows_of_rank_) {
    all.narrow(1, row, rows).copy_(by_rank.narrow(0, element, groups * rows * width).view({groups, rows, width}));
    element += groups * rows * width;
    row += rows;
  }
  return all;
}

at::Tensor RowGather::gather_integers(const at::Tensor& local) {
  GAUSSCSE_CHECK(local.scalar_type() == at::kLong && local.dim() == 2, "integers are int64 [rows, n]");
  at::Tensor numbers, integers;
  parts_.retryable([&] { numbers = local.to(at::kDouble).unsqueeze(0); });
  numbers = gather(numbers);
  parts_.retryable([&] { integers = numbers[0].to(at::kLong); });
  return integers;
}

at::Tensor RowGather::scatter_gradient(const at::Tensor& gradient) {
  const std::int64_t groups = gradient.size(0), width = gradient.size(2);
  const std::vector<std::int64_t> counts = element_counts(groups, width);
  const std::int64_t own_rows = rows_of_rank_[static_cast<std::size_t>(communicator_.rank())];
  at::Tensor own, by_rank;
  parts_.retryable([&] {
    own = at::empty({groups, own_rows, width}, gradient.options());
    if (communicator_.size() > 1) by_rank = at::empty({groups * total_rows_ * width}, gradient.options());
  });
  if (communicator_.size() == 1) {
    communicator_.reduce_scatter_sum(gradient, counts, own);
    return own;
  }
  std::int64_t element = 0, row = 0;
  for (const std::int64_t rows : rows_of_rank_) {
    by_rank.narrow(0, element, groups * rows * width).view({groups, rows, width}).copy_(gradient.narrow(1, row, rows));
    element += groups * rows * width;
    row += rows;
  }
  communicator_.reduce_scatter_sum(by_rank, counts, own);
  return own;
}

}  // namespace gausscse
