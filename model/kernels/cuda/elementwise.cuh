#pragma once

#include <cmath>

#include "model/kernels/cuda/column_tiles.cuh"
#include "model/kernels/cuda/factor.cuh"

namespace gausscse::kernels::cuda {

/// Elements that a thread reads at once.
constexpr int gelu_rows = 8, gelu_backward_rows = 4, rounded_elements = 4;

/// Returns the distribution function of the standard normal distribution.
template <typename T>
__device__ T normal_distribution(T x) {
  using std::erf;
  return static_cast<T>(0.5) + static_cast<T>(0.5) * erf(x * static_cast<T>(0.70710678118654752440));
}

/// Returns its density.
template <typename T>
__device__ T normal_density(T x) {
  using std::exp;
  return static_cast<T>(0.39894228040143267794) * exp(static_cast<T>(-0.5) * x * x);
}

template <typename T, typename Factor>
__global__ void bias_gelu_kernel(const Factor* x, const T* bias, std::int64_t rows, std::int64_t width, Factor* out) {
  const TilePlace place = tile_place(width);
  if (place.column >= width) return;
  const T own_bias = bias[place.column];
  const std::int64_t first = place.part * gelu_rows, begin = first * width + place.column;
  Factor read[gelu_rows];
  for (int i = 0; i < gelu_rows; ++i) read[i] = x[first + i < rows ? begin + i * width : begin];
  for (int i = 0; i < gelu_rows; ++i) {
    if (first + i >= rows) continue;
    const T value = value_of(read[i]) + own_bias;
    put(value * normal_distribution(value), out[begin + i * width]);
  }
}

/// See Kernels; float32 by CUDA's erf.
template <typename T, typename Factor>
void bias_gelu(const KernelContext& context, const Factor* x, const T* bias, std::int64_t rows, std::int64_t width,
               Factor* out) {
  launch(context, {blocks_of_tiles(parts_of(rows, gelu_rows), width), 1, tile_columns, 0}, bias_gelu_kernel<T, Factor>,
         x, bias, rows, width, out);
}

/// Arguments of `gelu_backward`, see Kernels. `partials` [parts, width] gets the sums over rows_of_block rows of the
/// gradient.
template <typename T, typename Factor>
struct GeluBackward {
  Factor* grad;
  const Factor* x;
  const T* bias;
  std::int64_t rows, width, rows_of_block;
  Factor* activation;
  T* partials;
};

/// Works on the rows `first`, `first` + tile_lanes, ... below `end` of one column; returns the sum of their gradients.
template <typename T, typename Factor>
__device__ T gelu_backward_of_column(const GeluBackward<T, Factor>& a, std::int64_t column, std::int64_t first,
                                     std::int64_t end) {
  const T bias = a.bias[column];
  const std::int64_t stride = tile_lanes * a.width;
  T sum = 0;
  for (std::int64_t row = first; row < end; row += gelu_backward_rows * tile_lanes) {
    const std::int64_t begin = row * a.width + column;
    Factor values[gelu_backward_rows], grads[gelu_backward_rows];
    for (int i = 0; i < gelu_backward_rows; ++i) {
      const std::int64_t at = row + i * tile_lanes < end ? begin + i * stride : begin;
      values[i] = a.x[at];
      grads[i] = a.grad[at];
    }
    for (int i = 0; i < gelu_backward_rows; ++i) {
      if (row + i * tile_lanes >= end) continue;
      const T value = value_of(values[i]) + bias, distribution = normal_distribution(value);
      const T gradient = value_of(grads[i]) * (distribution + value * normal_density(value));
      put(value * distribution, a.activation[begin + i * stride]);
      put(gradient, a.grad[begin + i * stride]);
      sum += gradient;
    }
  }
  return sum;
}

template <typename T, typename Factor>
__global__ void gelu_backward_kernel(GeluBackward<T, Factor> a) {
  SharedArrays shared;
  const SharedPointer<T> sums = shared.take<T>(tile_lanes * tile_columns);
  const TilePlace place = tile_place(a.width);
  const std::int64_t begin = place.part * a.rows_of_block, lane = threadIdx.x / static_cast<unsigned>(tile_columns);
  const std::int64_t end = a.rows - begin < a.rows_of_block ? a.rows : begin + a.rows_of_block;
  const bool inside = place.column < a.width;
  const T sum = sum_of_lanes(inside ? gelu_backward_of_column(a, place.column, begin + lane, end) : T{0}, sums);
  if (inside && lane == 0) a.partials[place.part * a.width + place.column] = sum;
}

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

/// See Kernels; the gradient of the bias is the sum of the gradients before they are rounded.
template <typename T, typename Factor>
void gelu_backward(const KernelContext& context, Factor* grad, const Factor* x, const T* bias, RowShards rows,
                   std::int64_t width, T* grad_bias, Factor* activation) {
  add_sums_of_blocks(
      context, rows.rows(), width, grad_bias, [&](std::int64_t rows_of_block, T* partials, const LaunchSize& size) {
        launch(context, size, gelu_backward_kernel<T, Factor>,
               GeluBackward<T, Factor>{grad, x, bias, rows.rows(), width, rows_of_block, activation, partials});
      });
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
