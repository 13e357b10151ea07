#pragma once

#include "model/kernels/cuda/attention/rows.cuh"

namespace gausscse::kernels::cuda {

// Attention works on tiles of up to 32 queries and 32 keys of one head of one sentence, which lie in shared memory. A
// block has four warps, and each takes two groups of four neighbouring rows: warp w has group 0 (rows 4w to 4w+3) and
// group 1 (rows 16+4w to 16+4w+3). A lane has a key where scores are computed, and one to four columns of the head
// where rows are:
//
//            scores                                   rows of a head
//            key: 0  1  2 ... 31                      column: 0  1 ... 31 | 32 ... 63
//     row 0       |  |  |      |    warp 0,           row 0       |  |      |    |       warp 0,
//     ...         lane = key        group 0           ...         lane = column % 32     group 0
//     row 4       |  |  |      |    warp 1, group 0   row 4       ...                    warp 1, group 0
//
// Values that differ between lanes are read without bank conflicts, the rest is the same for a whole warp. With at most
// 16 keys, or 8, several lanes share a key, and each sums over its part of the columns (LaneKey).

constexpr int attention_groups = 2;
constexpr int lanes_of_warp = static_cast<int>(warp_size);

/// A number for each row of a warp.
template <typename T>
using WarpRowValues = T[attention_groups][4];
/// A lane's columns of each row of a warp: lane, lane + 32, ...
template <typename T, int columns>
using ColumnsOfRows = T[attention_groups][4][columns];

/// Returns the first row of a warp's group.
__device__ inline int first_row_of(int group) {
  return 4 * (attention_warps * group + static_cast<int>(threadIdx.x / warp_size));
}
__device__ inline int this_lane() {
  return static_cast<int>(threadIdx.x % warp_size);
}

/// The key that this lane represents in a tile of `keys` keys. Where these are few several lanes represent the same,
/// and each sums over its part of the columns.
struct LaneKey {
  int lanes;    ///< different keys in a warp
  int key;      ///< may lie behind the last one
  int nearest;  ///< the key, or the last one
  int part;
  bool own;      ///< there is such a key, and this lane is its first
  bool written;  ///< true if this lane writes one of the rows of weights, which end with zeros at a multiple of four

  __device__ explicit LaneKey(int keys) {
    lanes = keys <= 8 ? 8 : keys <= 16 ? 16 : 32;
    key = this_lane() % lanes;
    nearest = key < keys ? key : keys - 1;
    part = this_lane() / lanes;
    own = part == 0 && key < keys;
    written = part == 0 && key < round_up_to_four(keys);
  }
};

/// Computes four sums over a warp, side by side, as each step waits for the one before it.
template <typename T>
__device__ void warp_sums(T (&values)[4]) {
  GAUSSCSE_UNROLL
  for (int mask = 16; mask > 0; mask /= 2) {
    GAUSSCSE_UNROLL
    for (int i = 0; i < 4; ++i) values[i] += __shfl_xor_sync(all_lanes, values[i], mask);
  }
}

/// Computes four maxima over a warp; NaN where a lane has one.
template <typename T>
__device__ void warp_maxima(T (&values)[4]) {
  GAUSSCSE_UNROLL
  for (int mask = 16; mask > 0; mask /= 2) {
    GAUSSCSE_UNROLL
    for (int i = 0; i < 4; ++i) {
      const T other = __shfl_xor_sync(all_lanes, values[i], mask);
      values[i] = other > values[i] || other != other ? other : values[i];
    }
  }
}

/// Writes this warp's rows below `rows`.
template <int columns, typename T, typename Factor>
__device__ void store_rows(const ColumnsOfRows<T, columns>& values, int rows, const HeadLayout& layout, Factor* to,
                           std::int64_t to_stride) {
  GAUSSCSE_UNROLL
  for (int group = 0; group < attention_groups; ++group) {
    GAUSSCSE_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int row = first_row_of(group) + i;
      GAUSSCSE_UNROLL
      for (int c = 0; c < columns; ++c) {
        const int column = this_lane() + lanes_of_warp * c;
        if (row < rows && column < layout.width) put(values[group][i][c], to[row * to_stride + column]);
      }
    }
  }
}

/// Zeros in rows `first` to `end` - 1. By all of a block.
template <typename Factor>
__device__ void clear_rows(int first, int end, const HeadLayout& layout, Factor* to, std::int64_t to_stride) {
  for (int row = first + static_cast<int>(threadIdx.x) / lanes_of_warp; row < end; row += attention_warps)
    for (int column = this_lane(); column < layout.width; column += lanes_of_warp)
      to[row * to_stride + column] = Factor{};
}

/// Writes this lane's number of each of this warp's rows of weights, `stride` apart.
template <typename T>
__device__ void store_weights(const WarpRowValues<T>& weights, int rows, const LaneKey& key, SharedPointer<T> to, int stride) {
  GAUSSCSE_UNROLL
  for (int group = 0; group < attention_groups; ++group) {
    GAUSSCSE_UNROLL
    for (int i = 0; i < 4; ++i)
      if (first_row_of(group) < rows && key.written)
        to[(first_row_of(group) + i) * stride + key.key] = weights[group][i];
  }
}

/// Computes scores = a row of `a`, of `rows` rows, times this lane's row of `keys`, for each of this warp's rows.
template <typename T>
__device__ void multiply_rows(SharedPointer<T> a, int rows, SharedPointer<T> keys, const LaneKey& key,
                              const HeadLayout& layout, WarpRowValues<T>& scores) {
  GAUSSCSE_UNROLL
  for (int group = 0; group < attention_groups; ++group) {
    GAUSSCSE_UNROLL
    for (int i = 0; i < 4; ++i) scores[group][i] = 0;
  }
  for (int four = key.part; four < layout.fours; four += lanes_of_warp / key.lanes) {
    const Vec4<T> other = four_at(keys, key.nearest * layout.stride + 4 * four);
    GAUSSCSE_UNROLL
    for (int group = 0; group < attention_groups; ++group) {
      if (first_row_of(group) < rows) {
        GAUSSCSE_UNROLL
        for (int i = 0; i < 4; ++i) {
          const Vec4<T> own = four_at(a, (first_row_of(group) + i) * layout.stride + 4 * four);
          GAUSSCSE_UNROLL
          for (int k = 0; k < 4; ++k) scores[group][i] += own.at[k] * other.at[k];
        }
      }
    }
  }
  GAUSSCSE_UNROLL
  for (int group = 0; group < attention_groups; ++group) {
    if (key.lanes <= 16) {
      GAUSSCSE_UNROLL
      for (int i = 0; i < 4; ++i) scores[group][i] += __shfl_xor_sync(all_lanes, scores[group][i], 16);
    }
    if (key.lanes <= 8) {
      GAUSSCSE_UNROLL
      for (int i = 0; i < 4; ++i) scores[group][i] += __shfl_xor_sync(all_lanes, scores[group][i], 8);
    }
  }
}

/// Reads this lane's columns of row `row` of a tile; columns behind the last one are that one.
template <int columns, typename T>
__device__ void read_columns(SharedPointer<T> tile, int row, const HeadLayout& layout, T (&values)[columns]) {
  GAUSSCSE_UNROLL
  for (int c = 0; c < columns; ++c) {
    const int column = this_lane() + lanes_of_warp * c;
    values[c] = tile[row * layout.stride + (column < layout.width ? column : layout.width - 1)];
  }
}

/// Computes sums[r] += sum over the keys of weights[r][key] * values[key], for this warp's rows of `rows`.
template <int columns, typename T>
__device__ void multiply_weights(SharedPointer<T> weights, int weights_stride, int rows, SharedPointer<T> values,
                                 int keys, const HeadLayout& layout, ColumnsOfRows<T, columns>& sums) {
  for (int key = 0; key < keys; key += 4) {
    T of_key[4][columns];
    GAUSSCSE_UNROLL
    for (int k = 0; k < 4; ++k) read_columns<columns>(values, key + k, layout, of_key[k]);
    GAUSSCSE_UNROLL
    for (int group = 0; group < attention_groups; ++group) {
      if (first_row_of(group) < rows) {
        GAUSSCSE_UNROLL
        for (int i = 0; i < 4; ++i) {
          const Vec4<T> weight = four_at(weights, (first_row_of(group) + i) * weights_stride + key);
          GAUSSCSE_UNROLL
          for (int k = 0; k < 4; ++k) {
            GAUSSCSE_UNROLL
            for (int c = 0; c < columns; ++c) sums[group][i][c] += weight.at[k] * of_key[k][c];
          }
        }
      }
    }
  }
}

/// Computes sums[key] += sum over the rows r of weights[r][key] * values[r], for the keys that are this warp's rows of
/// `keys`.
template <int columns, typename T>
__device__ void multiply_transposed(SharedPointer<T> weights, int weights_stride, int rows, SharedPointer<T> values,
                                    int keys, const HeadLayout& layout, ColumnsOfRows<T, columns>& sums) {
  for (int row = 0; row < rows; ++row) {
    T of_row[columns];
    read_columns<columns>(values, row, layout, of_row);
    GAUSSCSE_UNROLL
    for (int group = 0; group < attention_groups; ++group) {
      if (first_row_of(group) < keys) {
        const Vec4<T> weight = four_at(weights, row * weights_stride + first_row_of(group));
        GAUSSCSE_UNROLL
        for (int i = 0; i < 4; ++i) {
          GAUSSCSE_UNROLL
          for (int c = 0; c < columns; ++c) sums[group][i][c] += weight.at[i] * of_row[c];
        }
      }
    }
  }
}

}  // namespace gausscse::kernels::cuda
