#include "dist/row_ring.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace gausscse {

RowRing::RowRing(Communicator& communicator, std::vector<std::int64_t> rows_of_rank, std::int64_t part)
    : communicator_(communicator), rows_of_rank_(std::move(rows_of_rank)), part_(part) {
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

std::int64_t RowRing::most_elements(const at::Tensor& like) const {
  return *std::max_element(rows_of_rank_.begin(), rows_of_rank_.end()) * like.size(0) * like.size(2);
}

std::int64_t RowRing::bytes_of_passing_rows(const at::Tensor& own) const {
  return communicator_.size() == 1 ? 0 : most_elements(own) * static_cast<std::int64_t>(own.itemsize());
}

at::Tensor RowRing::room_for_rows(const at::Tensor& like) const {
  return at::empty({most_elements(like)}, like.options());
}

at::Tensor RowRing::rows_in(const at::Tensor& room, const at::Tensor& like, int shifts) const {
  const std::int64_t rows = rows_of_rank_[source(communicator_.rank(), shifts)];
  return room.narrow(0, 0, like.size(0) * rows * like.size(2)).view({like.size(0), rows, like.size(2)});
}

void RowRing::shift(const at::Tensor& rows, int shifts, at::Tensor room) {
  const std::int64_t width = rows.size(0) * rows.size(2);
  std::vector<std::int64_t> elements;
  for (int rank = 0; rank < communicator_.size(); ++rank)
    elements.push_back(width * rows_of_rank_[source(rank, shifts)]);
  const std::int64_t received = width * rows_of_rank_[source(communicator_.rank(), shifts + 1)];
  const at::Tensor all = rows.contiguous().view({-1});
  const std::int64_t most = *std::max_element(elements.begin(), elements.end());
  const at::Tensor arrived = at::empty({std::min(part_, received)}, rows.options());
  for (std::int64_t begin = 0; begin == 0 || begin < most; begin += part_) {
    const auto here = [&](std::int64_t count) { return std::clamp<std::int64_t>(count - begin, 0, part_); };
    std::vector<std::int64_t> counts;
    for (const std::int64_t count : elements) counts.push_back(here(count));
    const at::Tensor out = arrived.narrow(0, 0, here(received));
    communicator_.ring_shift(all.narrow(0, std::min(begin, all.numel()), here(all.numel())), counts, out);
    room.narrow(0, std::min(begin, received), out.numel()).copy_(out);
  }
}

void RowRing::visit(const at::Tensor& own, const Visit& use) {
  const int size = communicator_.size();
  const at::Tensor room = size == 1 ? at::Tensor() : room_for_rows(own);
  at::Tensor rows = own;
  for (int shifts = 0; shifts < size; ++shifts) {
    if (shifts > 0) {
      shift(rows, shifts - 1, room);
      rows = rows_in(room, own, shifts);
    }
    use(rows, first_row(shifts));
  }
}

at::Tensor RowRing::visit_with_gradient(const at::Tensor& own, const VisitWithGradient& use) {
  const int size = communicator_.size();
  const at::Tensor room = size == 1 ? at::Tensor() : room_for_rows(own), gradient_room = room_for_rows(own);
  at::Tensor rows = own, gradient = rows_in(gradient_room, own, 0).zero_();
  for (int shifts = 0; shifts < size; ++shifts) {
    if (shifts > 0) {
      shift(rows, shifts - 1, room);
      rows = rows_in(room, own, shifts);
      shift(gradient, shifts - 1, gradient_room);
      gradient = rows_in(gradient_room, own, shifts);
    }
    use(rows, first_row(shifts), gradient);
  }
  if (size == 1) return gradient;
  // Home: what is here belongs to the next rank.
  shift(gradient, size - 1, gradient_room);
  return rows_in(gradient_room, own, 0);
}

}  // namespace gausscse
