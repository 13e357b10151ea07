#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "model/kernels/row_shards.hpp"

namespace gausscse {

/// A part of a matrix that one thread computes by one call of the library. Tiles depend on shapes alone, so that the
/// bits of products do not depend on the number of threads. They are large, as each has its factors laid out again.
struct Tile {
  std::int64_t row, rows, column, columns;

  /// Returns this part of `whole`; undefined where that is.
  at::Tensor of(const at::Tensor& whole) const {
    return whole.defined() ? whole.narrow(0, row, rows).narrow(1, column, columns) : whole;
  }
};

/// Elements of a vector: tiles that begin at its multiples waste nothing.
constexpr std::int64_t vector_step = 16;

/// Tiles of a matrix whose rows are in `shards`; none reaches over two shards, and the largest come first.
std::vector<Tile> tiles_of_rows(const kernels::RowShards& shards, std::int64_t columns);

/// Tiles of a [rows, columns] matrix that is a sum over the shards; they begin at multiples of `step`, and none is
/// larger than the first.
std::vector<Tile> tiles_of_sum(std::int64_t rows, std::int64_t columns, std::int64_t step);

/// Shards that one thread adds up at a time, a power of two. Such a group is a subtree of the shards' tree
/// (kernels::add_in_tree), so that the sum has the same bits for any size. Fewer where `tiles` alone do not keep all
/// threads busy.
std::int64_t shards_of_group(std::int64_t shards, std::int64_t tiles, std::int64_t threads);

}  // namespace gausscse
