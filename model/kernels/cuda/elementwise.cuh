#pragma once

#include "model/kernels/cuda/column_tiles.cuh"
#include "model/kernels/cuda/factor.cuh"

namespace gausscse::kernels::cuda {

/// Elements that a thread of `round_to_bfloat16` reads at once.
constexpr int rounded_elements = 4;

template <typename T, typename Factor>
__global__ void add_column_sums_kernel(const Factor* x, std::int64_t rows, std::int64_t width,
                                       std::int64_t rows_of_block, T* partials) {
  SharedArrays shared;
  const SharedPointer<T> sums = shared.take<T>(tile_lanes * tile_columns);
  const TilePlace place = tile_place(width);
  const std::int64_t begin = place.part * rows_of_block, lane = threadIdx.x / static_cast<unsigned>(tile_columns);
  const std::int64_t end = rows - begin < rows_of_block ? rows : begin + rows_of_block;
  const bool inside = place.column < width;
  T sum = 0;
  if (inside)
    for (std::int64_t row = begin + lane; row < end; row += tile_lanes) sum += value_of(x[row * width + place.column]);
  sum = sum_of_lanes(sum, sums);
  if (inside && lane == 0) partials[place.part * width + place.column] = sum;
}

/// Calls `start(rows of a block, partials, size of the grid)` for a kernel that writes the sums of blocks [blocks,
/// width], and adds these to `sum` [width].
template <typename T, typename Start>
void add_sums_of_blocks(const KernelContext& context, std::int64_t rows, std::int64_t width, T* sum,
                        const Start& start) {
  if (rows == 0 || width == 0) return;
  const std::int64_t rows_of_block = rows_of_summed_part(rows), parts = parts_of(rows, rows_of_block);
  auto* const partials = static_cast<T*>(context.scratch->get(static_cast<std::size_t>(parts * width) * sizeof(T)));
  start(rows_of_block, partials,
        LaunchSize{blocks_of_tiles(parts, width), 1, tile_lanes * tile_columns,
                   shared_bytes_of<T>(tile_lanes * tile_columns)});
  add_partial_sums(context, partials, parts, 1, width, SummedArrays<T>{{sum}});
}

/// See Kernels.
template <typename T, typename Factor>
void add_column_sums(const KernelContext& context, const Factor* x, RowShards rows, std::int64_t width, T* sum) {
  add_sums_of_blocks(
      context, rows.rows(), width, sum, [&](std::int64_t rows_of_block, T* partials, const LaunchSize& size) {
        launch(context, size, add_column_sums_kernel<T, Factor>, x, rows.rows(), width, rows_of_block, partials);
      });
}

template <typename T>
__global__ void round_to_bfloat16_kernel(const T* x, std::int64_t count, T* out) {
  const std::int64_t threads = blockDim.x, first = blockIdx.x * (rounded_elements * threads) + threadIdx.x;
  if (first >= count) return;
  T values[rounded_elements];
  for (int i = 0; i < rounded_elements; ++i) values[i] = x[first + i * threads < count ? first + i * threads : first];
  for (int i = 0; i < rounded_elements; ++i) {
    if (first + i * threads >= count) continue;
    Bfloat16 rounded;
    put(static_cast<float>(values[i]), rounded);
    out[first + i * threads] = static_cast<T>(value_of(rounded));
  }
}

/// See Kernels.
template <typename T>
void round_to_bfloat16(const KernelContext& context, const T* x, std::int64_t count, T* out) {
  launch(context, {parts_of(count, rounded_elements * 256), 1, 256, 0}, round_to_bfloat16_kernel<T>, x, count, out);
}

}  // namespace gausscse::kernels::cuda
