#pragma once

#include "model/kernels/cuda/attention/warp_rows.cuh"

namespace gausscse::kernels::cuda {

/// Computes products = left * right^T of bfloat16 rows of a head, with float32 sums. left is [16, width] and right
/// [keys_at_once, width], both with rows `row_stride` apart; products is [16, keys_at_once], rows `score_stride` apart.
template <typename Shape>
__device__ void multiply_warp_rows(SharedPointer<Bfloat16> left, SharedPointer<Bfloat16> right,
                                   SharedPointer<float> products) {
  SumTile sums[Shape::tiles_at_once];
  GAUSSCSE_UNROLL
  for (int tile = 0; tile < Shape::tiles_at_once; ++tile) sums[tile] = zero_tile();
  GAUSSCSE_UNROLL
  for (int step = 0; step < Shape::steps; ++step) {
    const auto of_left = tile_at<LeftTile<by_rows>>(left + tile_rows * step, Shape::row_stride);
    GAUSSCSE_UNROLL
    for (int tile = 0; tile < Shape::tiles_at_once; ++tile) {
      const auto of_right =
          tile_at<RightTile<transposed>>(right + tile_rows * (tile * Shape::row_stride + step), Shape::row_stride);
      add_product(of_left, of_right, sums[tile]);
    }
  }
  GAUSSCSE_UNROLL
  for (int tile = 0; tile < Shape::tiles_at_once; ++tile)
    store_tile(sums[tile], products + tile_rows * tile, Shape::score_stride);
}

/// Sums of a warp's 16 rows of a head.
template <typename Shape>
struct WarpSums {
  SumTile tiles[Shape::steps];

  __device__ WarpSums() {
    GAUSSCSE_UNROLL
    for (int step = 0; step < Shape::steps; ++step) tiles[step] = zero_tile();
  }

  /// Adds weights * rows, of weights [16, 16 * count] and rows [16 * count, width], both in bfloat16. They are taken in
  /// tiles of 16 x 16; from one tile of weights to the next there are `next` elements.
  template <typename WeightLayout>
  __device__ void add(SharedPointer<Bfloat16> weights, int next, int count, SharedPointer<Bfloat16> rows) {
    GAUSSCSE_UNROLL
    for (int tile = 0; tile < Shape::tiles; ++tile) {
      if (tile >= count) break;
      const auto weight = tile_at<LeftTile<WeightLayout>>(weights + next * tile, Shape::weight_stride);
      GAUSSCSE_UNROLL
      for (int step = 0; step < Shape::steps; ++step) {
        const auto row =
            tile_at<RightTile<by_rows>>(rows + tile_rows * (tile * Shape::row_stride + step), Shape::row_stride);
        add_product(weight, row, tiles[step]);
      }
    }
  }

  /// Multiplies each row by the factor that the lanes of its query have; `room` is for 16 rows of scores.
  __device__ void scale_rows(float factor, SharedPointer<float> room) {
    __syncwarp();
    store(room);
    __syncwarp();
    GAUSSCSE_UNROLL
    for (int column = 0; column < Shape::width / 2; column += 4) {
      const int place =
          this_lane() % tile_rows * Shape::score_stride + this_lane() / tile_rows * (Shape::width / 2) + column;
      Vec4<float> four = four_at(room, place);
      GAUSSCSE_UNROLL
      for (int i = 0; i < 4; ++i) four.at[i] *= factor;
      store_four(four, room, place);
    }
    __syncwarp();
    GAUSSCSE_UNROLL
    for (int step = 0; step < Shape::steps; ++step)
      tiles[step] = sum_tile_at(room + tile_rows * step, Shape::score_stride);
    __syncwarp();
  }

  /// Writes rows below `rows` to global memory, by way of `room` for 16 rows of scores, as write_warp_rows does.
  template <typename Finish>
  __device__ void write(SharedPointer<float> room, int rows, Bfloat16* to, int to_stride, const Finish& finish) const {
    __syncwarp();
    store(room);
    __syncwarp();
    write_warp_rows<Shape>(room, rows, to, to_stride, finish);
  }
  __device__ void write_scaled(SharedPointer<float> room, int rows, Bfloat16* to, int to_stride, float scale) const {
    write(room, rows, to, to_stride, [&](int, float(&values)[8]) {
      GAUSSCSE_UNROLL
      for (int i = 0; i < 8; ++i) values[i] *= scale;
    });
  }

 private:
  __device__ void store(SharedPointer<float> to) const {
    GAUSSCSE_UNROLL
    for (int step = 0; step < Shape::steps; ++step) store_tile(tiles[step], to + tile_rows * step, Shape::score_stride);
  }
};

}  // namespace gausscse::kernels::cuda
