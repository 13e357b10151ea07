#pragma once

#include "model/kernels/cpu/scratch.hpp"
#include "model/kernels/cpu/vector.hpp"
#include "model/kernels/row_shards.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Computes sum[c] += part[c]
template <typename T>
void add_to(const T* part, std::int64_t count, T* sum) {
#pragma omp simd
  for (std::int64_t c = 0; c < count; ++c) sum[c] += part[c];
}

/// Calls `visit(row, sums)` for every row, with many threads; it adds the row's part to `sums` [count]. Returns the
/// sums over all rows, in `scratch`. The rows of a shard are added in fixed blocks, and blocks in their order: the same
/// bits for any number of threads.
template <typename T, typename Visit>
const T* sum_over_rows(RowShards shards, std::int64_t count, Scratch<T>& scratch, const Visit& visit) {
  constexpr std::int64_t rows_of_block = 128;
  const auto blocks_of = [=](std::int64_t shard) {
    const std::int64_t rows = shards.rows_of(shard);
    return rows > 0 ? (rows + rows_of_block - 1) / rows_of_block : 1;
  };
  std::int64_t blocks = 0;
  for (std::int64_t shard = 0; shard < shards.count; ++shard) blocks += blocks_of(shard);
  Scratch<std::int64_t> first_rows;
  std::int64_t* first_row = first_rows.of_size(blocks + 1);
  std::int64_t next = 0;
  for (std::int64_t shard = 0; shard < shards.count; ++shard)
    for (std::int64_t block = 0; block < blocks_of(shard); ++block)
      first_row[next++] = shards.offsets[shard] + block * rows_of_block;
  first_row[blocks] = shards.rows();

  T* all = scratch.of_size(blocks * count);
#pragma omp parallel for schedule(static)
  for (std::int64_t block = 0; block < blocks; ++block) {
    T* sums = all + block * count;
    std::memset(sums, 0, sizeof(T) * static_cast<std::size_t>(count));
    for (std::int64_t row = first_row[block]; row < first_row[block + 1]; ++row) visit(row, sums);
  }

  T* sums[most_places];
  next = 0;
  add_in_tree(
      shards.count,
      [&](std::int64_t shard, std::int64_t place) {
        sums[place] = all + next++ * count;
        for (std::int64_t block = 1; block < blocks_of(shard); ++block)
          add_to(all + next++ * count, count, sums[place]);
      },
      [&](std::int64_t place) { add_to(sums[place + 1], count, sums[place]); });
  return sums[0];
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
