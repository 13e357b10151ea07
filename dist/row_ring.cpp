#include "dist/row_ring.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros_like.h>

#include "base/error.hpp"

namespace gausscse {

RowRing::RowRing(Communicator& communicator, std::vector<std::int64_t> rows_of_rank)
    : communicator_(communicator), rows_of_rank_(std::move(rows_of_rank)) {
  GAUSSCSE_CHECK(static_cast<int>(rows_of_rank_.size()) == communicator.size(), "one number of rows a rank");
  std::int64_t first = 0;
  for (const std::int64_t rows : rows_of_rank_) {
    first_rows_.push_back(first);
    first += rows;
  }
}

std::size_t RowRing::source(int rank, int shifts) const {
  const int size = communicator_.size();
  return static_cast<std::size_t>((rank + size - shifts % size) % size);
}

at::Tensor RowRing::shift(const at::Tensor& rows, int shifts) {
  const std::int64_t groups = rows.size(0), width = rows.size(2);
  std::vector<std::int64_t> counts;
  for (int rank = 0; rank < communicator_.size(); ++rank)
    counts.push_back(groups * width * rows_of_rank_[source(rank, shifts)]);
  at::Tensor received =
      at::empty({groups, rows_of_rank_[source(communicator_.rank(), shifts + 1)], width}, rows.options());
  communicator_.ring_shift(rows, counts, received);
  return received;
}

void RowRing::visit(const at::Tensor& own, const Visit& use) {
  at::Tensor rows = own;
  for (int shifts = 0; shifts < communicator_.size(); ++shifts) {
    if (shifts > 0) rows = shift(rows, shifts - 1);
    use(rows, first_row(shifts));
  }
}

at::Tensor RowRing::visit_with_gradient(const at::Tensor& own, const VisitWithGradient& use) {
  at::Tensor rows = own, gradient = at::zeros_like(own);
  const int size = communicator_.size();
  for (int shifts = 0; shifts < size; ++shifts) {
    if (shifts > 0) {
      rows = shift(rows, shifts - 1);
      gradient = shift(gradient, shifts - 1);
    }
    use(rows, first_row(shifts), gradient);
  }
  // Home: what is here belongs to the next rank.
  return size == 1 ? gradient : shift(gradient, size - 1);
}

}  // namespace gausscse
