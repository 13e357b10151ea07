#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "dist/communicator.hpp"

namespace gausscse {

/// Elements that are sent at once: what comes takes the place of what went part by part.
inline constexpr std::int64_t usual_part_of_ring = std::int64_t{1} << 22;

/// Shows each rank the rows of all ranks, one rank's after another's, as they travel around the ring of ranks: beside
/// its own rows a rank never holds more than those of one other, and their gradient where that travels, too. Every rank
/// sees its own first, then those of the rank before it, and so on.
class RowRing {
 public:
  /// Rank r has rows_of_rank[r] rows (0 is allowed).
  RowRing(Communicator& communicator, std::vector<std::int64_t> rows_of_rank, std::int64_t part = usual_part_of_ring);

  /// `rows` [groups, n, width] are those of a rank, from row `first` of all on.
  using Visit = std::function<void(const at::Tensor& rows, std::int64_t first)>;
  using VisitWithGradient = std::function<void(const at::Tensor& rows, std::int64_t first, at::Tensor gradient)>;

  /// Shows all rows, of which `own` [groups, own rows, width] are this rank's.
  void visit(const at::Tensor& own, const Visit& use);
  /// The same, while the gradient of each rank's rows travels with them: `use` adds to it what this rank's loss says.
  /// Returns the gradient by `own`, with what all ranks added.
  at::Tensor visit_with_gradient(const at::Tensor& own, const VisitWithGradient& use);
  /// What is held of the rows that pass by, of as many groups and this width; and as much of their gradient.
  std::int64_t bytes_of_passing_rows(const at::Tensor& own) const;

 private:
  /// Elements of the rows of any rank, of as many groups and this width.
  std::int64_t most_elements(const at::Tensor& like) const;
  /// Memory for any rank's rows of so many groups and this width.
  at::Tensor room_for_rows(const at::Tensor& like) const;
  /// The rows in `room` that are here after so many shifts.
  at::Tensor rows_in(const at::Tensor& room, const at::Tensor& like, int shifts) const;
  /// Sends on `rows`, which are here after `shifts` shifts, and puts what is here after one more into `room`, which may
  /// be where `rows` are.
  void shift(const at::Tensor& rows, int shifts, at::Tensor room);
  /// The rank whose rows rank `rank` holds after so many shifts.
  std::size_t source(int rank, int shifts) const;
  /// First of the rows, among all, that are here after so many shifts.
  std::int64_t first_row(int shifts) const { return first_rows_[source(communicator_.rank(), shifts)]; }

  Communicator& communicator_;
  std::vector<std::int64_t> rows_of_rank_, first_rows_;
  std::int64_t part_;
};

}  // namespace gausscse
