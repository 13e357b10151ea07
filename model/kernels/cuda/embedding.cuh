#pragma once

#include "model/kernels/cuda/column_tiles.cuh"

namespace gausscse::kernels::cuda {

/// Rows that a thread of `embed` reads at once.
constexpr int embedded_rows = 4;

template <typename T>
__global__ void embed_kernel(const T* word, const T* position, const T* token_type, const std::uint32_t* ids,
                             const std::uint32_t* positions, std::int64_t rows, std::int64_t hidden, T* out) {
  const TilePlace place = tile_place(hidden);
  if (place.column >= hidden) return;
  const std::int64_t first = place.part * embedded_rows;
  const T of_type = token_type ? token_type[place.column] : T{0};
  T words[embedded_rows], places[embedded_rows];
  for (int i = 0; i < embedded_rows; ++i) {
    const std::int64_t row = first + i < rows ? first + i : first;
    words[i] = word[ids[row] * hidden + place.column];
    places[i] = position ? position[positions[row] * hidden + place.column] : T{0};
  }
  for (int i = 0; i < embedded_rows; ++i)
    if (first + i < rows) out[(first + i) * hidden + place.column] = words[i] + places[i] + of_type;
}

/// See Kernels.
template <typename T>
void embed(const KernelContext& context, const T* word, const T* position, const T* token_type,
           const std::uint32_t* ids, const std::uint32_t* positions, std::int64_t rows, std::int64_t hidden, T* out) {
  launch(context, {blocks_of_tiles(parts_of(rows, embedded_rows), hidden), 1, tile_columns, 0}, embed_kernel<T>, word,
         position, token_type, ids, positions, rows, hidden, out);
}

// Most groups of rows have one row, some have thousands. A block has some groups and a tile of columns: its own warp
// adds up a small group, all warps a large one, each every group_warps-th row.
constexpr int group_warps = 16, group_columns_of_thread = 2, group_rows_at_once = 4, most_groups_of_block = group_warps;
constexpr std::int64_t group_columns = group_columns_of_thread * std::int64_t{warp_size};
constexpr std::int64_t small_group = 32;

/// Sums of a thread, one for each of its columns, which are warp_size apart. Sums of columns behind the last mean
/// nothing.
template <typename T>
struct ColumnSums {
  T of[group_columns_of_thread];
};

/// Returns the sums over rows rows[i] of `x`, i from `first` to `end` in steps of `step`, for the columns from `column`
/// on.
template <typename T>
__device__ ColumnSums<T> sums_over_rows(const T* x, const std::int64_t* rows, std::int64_t first, std::int64_t end,
                                        std::int64_t step, std::int64_t width, std::int64_t column) {
  ColumnSums<T> sums{};
  for (; first < end; first += group_rows_at_once * step) {
    T values[group_rows_at_once][group_columns_of_thread];
    for (int i = 0; i < group_rows_at_once; ++i) {
      const T* const row = x + rows[first + i * step < end ? first + i * step : first] * width;
      for (int k = 0; k < group_columns_of_thread; ++k)
        values[i][k] = row[column + k * warp_size < width ? column + k * warp_size : 0];
    }
    for (int i = 0; i < group_rows_at_once; ++i)
      for (int k = 0; k < group_columns_of_thread; ++k) sums.of[k] += first + i * step < end ? values[i][k] : T{0};
  }
  return sums;
}

/// Arguments of `add_grouped_rows`, see Kernels.
template <typename T>
struct GroupedRows {
  const T* x;
  RowGroups groups;
  std::int64_t width;
  T* table;
};

/// Adds the groups b, b + gridDim.x, ... in block (b, tile): neighbours, which are often all large, are in different
/// blocks.
template <typename T>
__global__ void add_grouped_rows_kernel(GroupedRows<T> a) {
  SharedArrays shared;
  const SharedPointer<std::int64_t> begins = shared.take<std::int64_t>(most_groups_of_block);
  const SharedPointer<std::int64_t> ends = shared.take<std::int64_t>(most_groups_of_block);
  const SharedPointer<T> sums_of_warps = shared.take<T>(group_warps * group_columns);
  const unsigned thread = threadIdx.x, blocks = gridDim.x, block = blockIdx.x;
  const unsigned warp = thread / warp_size, lane = thread % warp_size;
  const std::int64_t tile = blockIdx.y * group_columns, column = tile + lane;
  const std::int64_t groups = parts_of(a.groups.count - block, blocks);
  const auto row_of_table = [&](std::int64_t group) {
    return a.table + a.groups.targets[block + group * blocks] * a.width;
  };

  if (thread < groups) {
    begins[thread] = a.groups.offsets[block + std::int64_t{thread} * blocks];
    ends[thread] = a.groups.offsets[block + std::int64_t{thread} * blocks + 1];
  }
  __syncthreads();
  if (warp < groups) {
    const std::int64_t begin = begins[warp], end = ends[warp];
    if (end - begin <= small_group) {
      T* const to = row_of_table(warp);
      const ColumnSums<T> sums = sums_over_rows(a.x, a.groups.rows, begin, end, 1, a.width, column);
      for (int k = 0; k < group_columns_of_thread; ++k)
        if (column + k * warp_size < a.width) to[column + k * warp_size] += sums.of[k];
    }
  }
  for (std::int64_t group = 0; group < groups; ++group) {
    const std::int64_t begin = begins[group], end = ends[group];
    if (end - begin <= small_group) continue;
    const ColumnSums<T> sums = sums_over_rows(a.x, a.groups.rows, begin + warp, end, group_warps, a.width, column);
    for (int k = 0; k < group_columns_of_thread; ++k)
      sums_of_warps[warp * group_columns + k * warp_size + lane] = sums.of[k];
    __syncthreads();
    if (thread < group_columns && tile + thread < a.width) {
      T sum = 0;
      for (std::int64_t w = 0; w < group_warps; ++w) sum += sums_of_warps[w * group_columns + thread];
      row_of_table(group)[tile + thread] += sum;
    }
    __syncthreads();
  }
}

/// Groups of a block: one as long as there are few of them, so that all of a GPU has to do.
constexpr std::int64_t groups_of_block(std::int64_t groups, std::int64_t tiles) {
  const std::int64_t wanted = parts_of(groups * tiles, 2048);
  return wanted < most_groups_of_block ? wanted : most_groups_of_block;
}

/// See Kernels. No group is empty, and no two have the same row of the table.
template <typename T>
void add_grouped_rows(const KernelContext& context, const T* x, RowGroups groups, RowShards, std::int64_t width,
                      T* table) {
  const std::int64_t tiles = parts_of(width, group_columns);
  if (groups.count == 0 || tiles == 0) return;
  const std::size_t bytes =
      2 * shared_bytes_of<std::int64_t>(most_groups_of_block) + shared_bytes_of<T>(group_warps * group_columns);
  launch(context, {parts_of(groups.count, groups_of_block(groups.count, tiles)), tiles, group_warps * warp_size, bytes},
         add_grouped_rows_kernel<T>, GroupedRows<T>{x, groups, width, table});
}

}  // namespace gausscse::kernels::cuda
