#include "dist/row_ring.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"

namespace gausscse {

class RowRing::Travelling {
 public:
  /// Allocates memory for the travelling part of rows like `like` [groups, n, width].
  Travelling(const RowRing& ring, const at::Tensor& like) : ring_(ring), groups_(like.size(0)), width_(like.size(2)) {
    ring.parts_.retryable([&] {
      for (at::Tensor& place : states_) place = at::empty({ring.rows_that_travel() * groups_ * width_}, like.options());
    });
  }

  /// Returns the rows of the tour that are here after this many shifts.
  at::Tensor here(const RingPass& ring_pass, int shifts) const {
    const std::int64_t rows = ring_pass.count[ring_.source(ring_.communicator_.rank(), shifts)];
    return states_[taken_].narrow(0, 0, groups_ * rows * width_).view({groups_, rows, width_});
  }

  /// Sends on the rows that are here after this many shifts, and takes those of one more shift.
  void shift(const RingPass& ring_pass, int shifts) {
    std::vector<std::int64_t> elements;
    for (int rank = 0; rank < ring_.communicator_.size(); ++rank)
      elements.push_back(groups_ * width_ * ring_pass.count[ring_.source(rank, shifts)]);
    const at::Tensor sent = here(ring_pass, shifts);
    taken_ = 1 - taken_;
    ring_.communicator_.ring_shift(sent, elements, here(ring_pass, shifts + 1));
  }

 private:
  const RowRing& ring_;
  std::int64_t groups_, width_;
  std::array<at::Tensor, 2> states_;
  std::size_t taken_ = 0;
};

RowRing::RowRing(Communicator& communicator, std::vector<std::int64_t> rows_of_rank, std::int64_t rows_at_once,
                 RetryScope& parts)
    : communicator_(communicator), rows_of_rank_(std::move(rows_of_rank)), rows_at_once_(rows_at_once), parts_(parts) {
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

std::int64_t RowRing::first_row(const RingPass& ring_pass, int shifts) const {
  const std::size_t rank = source(communicator_.rank(), shifts);
  return first_rows_[rank] + ring_pass.begin[rank];
}

std::int64_t RowRing::rows_that_travel() const {
  return std::min(rows_at_once_, *std::max_element(rows_of_rank_.begin(), rows_of_rank_.end()));
}

std::int64_t RowRing::bytes_that_travel(const at::Tensor& own) const {
  return 2 * rows_that_travel() * own.size(0) * own.size(2) * static_cast<std::int64_t>(own.itemsize());
}

RowRing::RingPass RowRing::pass_from(std::int64_t begin) const {
  RingPass ring_pass;
  for (const std::int64_t rows : rows_of_rank_) {
    ring_pass.begin.push_back(std::min(begin, rows));
    ring_pass.count.push_back(std::min(rows_at_once_, rows - ring_pass.begin.back()));
  }
  return ring_pass;
}

template <typename Use>
void RowRing::for_each_pass(const Use& use) const {
  const std::int64_t most = *std::max_element(rows_of_rank_.begin(), rows_of_rank_.end());
  for (std::int64_t begin = 0; begin < most; begin += rows_at_once_) use(pass_from(begin));
}

void RowRing::visit(const at::Tensor& own, const Visit& use) {
  const auto rank = static_cast<std::size_t>(communicator_.rank());
  Travelling rows(*this, own);
  for_each_pass([&](const RingPass& ring_pass) {
    rows.here(ring_pass, 0).copy_(own.narrow(1, ring_pass.begin[rank], ring_pass.count[rank]));
    for (int shifts = 0; shifts < communicator_.size(); ++shifts) {
      if (shifts > 0) rows.shift(ring_pass, shifts - 1);
      use(rows.here(ring_pass, shifts), first_row(ring_pass, shifts));
    }
  });
}

void RowRing::visit_with_gradient(const at::Tensor& own, at::Tensor own_gradient, const VisitWithGradient& use) {
  const auto rank = static_cast<std::size_t>(communicator_.rank());
  const int size = communicator_.size();
  Travelling rows(*this, own), gradient(*this, own);
  for_each_pass([&](const RingPass& ring_pass) {
    rows.here(ring_pass, 0).copy_(own.narrow(1, ring_pass.begin[rank], ring_pass.count[rank]));
    gradient.here(ring_pass, 0).zero_();
    for (int shifts = 0; shifts < size; ++shifts) {
      if (shifts > 0) {
        rows.shift(ring_pass, shifts - 1);
        gradient.shift(ring_pass, shifts - 1);
      }
      use(rows.here(ring_pass, shifts), first_row(ring_pass, shifts), gradient.here(ring_pass, shifts));
    }
    // The gradient that is here belongs to the next rank.
    if (size > 1) gradient.shift(ring_pass, size - 1);
    own_gradient.narrow(1, ring_pass.begin[rank], ring_pass.count[rank]).add_(gradient.here(ring_pass, size));
  });
}

}  // namespace gausscse
