#pragma once

#include "model/kernels/cuda/factor.cuh"
#include "model/kernels/cuda/fours.cuh"
#include "model/kernels/cuda/language.cuh"
#include "model/kernels/gpu_attention.hpp"

namespace gausscse::kernels::cuda {

/// Rows of a tile, and warps of a block.
constexpr int attention_rows = attention_tile_of_gpus, attention_warps = 4;
constexpr unsigned attention_threads = attention_warps * warp_size;

/// Layout of rows of a head in shared memory, and the way in which they are read from global memory.
struct HeadLayout {
  int width;           ///< columns of a head
  int fours;           ///< fours of columns; behind the width there are zeros
  int stride;          ///< from row to row, an odd number of fours against bank conflicts, and room for a row of a tile
  int row_threads;     ///< threads that read a row together, a power of two
  bool in_fours;       ///< true if every four of factors in global memory is aligned
  bool bias_in_fours;  ///< the same of the bias
};

/// to[r] = from[r] + bias for r below `rows`, then zeros up to a multiple of four rows; `bias` may be null.
template <typename T, typename Factor>
struct RowsToLoad {
  const Factor* from;
  std::int64_t stride;
  const T* bias;
  int rows;
  SharedPointer<T> to;
};

/// Loads rows by all threads of a block. A thread has reads of all matrices under way before it uses the first.
template <int count, typename T, typename Factor>
__device__ void load_rows(const RowsToLoad<T, Factor> (&matrices)[count], const HeadLayout& layout) {
  // Reads of each matrix: as many as fit into registers.
  constexpr int reads = sizeof(T) == 4 ? 2 : 1;
  const int thread = static_cast<int>(threadIdx.x), column = 4 * (thread % layout.row_threads);
  if (column >= layout.width) return;
  Vec4<T> bias[count];
  int most_rows = 0;
  GAUSSCSE_UNROLL
  for (int m = 0; m < count; ++m) {
    bias[m] = Vec4<T>{};
    if (matrices[m].bias) bias[m] = read_four(matrices[m].bias + column, layout.width - column, layout.bias_in_fours);
    most_rows = matrices[m].rows > most_rows ? matrices[m].rows : most_rows;
  }
  const int step = static_cast<int>(attention_threads) / layout.row_threads;
  for (int first = thread / layout.row_threads; first < round_up_to_four(most_rows); first += reads * step) {
    Vec4<Factor> values[count][reads];
    GAUSSCSE_UNROLL
    for (int m = 0; m < count; ++m) {
      GAUSSCSE_UNROLL
      for (int k = 0; k < reads; ++k) {
        const int row = first + k * step;
        values[m][k] = Vec4<Factor>{};
        if (row < matrices[m].rows)
          values[m][k] =
              read_four(matrices[m].from + row * matrices[m].stride + column, layout.width - column, layout.in_fours);
      }
    }
    GAUSSCSE_UNROLL
    for (int m = 0; m < count; ++m) {
      GAUSSCSE_UNROLL
      for (int k = 0; k < reads; ++k) {
        const int row = first + k * step;
        if (row >= round_up_to_four(matrices[m].rows)) continue;
        Vec4<T> sums;
        GAUSSCSE_UNROLL
        for (int i = 0; i < 4; ++i)
          sums.at[i] = row < matrices[m].rows ? value_of(values[m][k].at[i]) + bias[m].at[i] : T{0};
        store_four(sums, matrices[m].to, row * layout.stride + column);
      }
    }
  }
}

}  // namespace gausscse::kernels::cuda
