#pragma once

#include <cmath>
#include <type_traits>

#include "model/kernels/cuda/eights.cuh"
#include "model/kernels/cuda/fours.cuh"
#include "model/kernels/cuda/layer_norm_arguments.cuh"
#include "model/kernels/cuda/reductions.cuh"

namespace gausscse::kernels::cuda {

// Layer norms of rows that a warp keeps in registers. A row is cut into chunks of 256 columns, of which each lane has
// an eight of neighbours:
//
//     chunk 0                              chunk 1
//     lane 0: 0..7 | 1: 8..15 | ... | 31   lane 0: 256..263 | ...
//
// All reads of a row are issued before the first is used, and its sums take shuffles alone.

/// Warps of a block, each of which works on one row at a time.
constexpr int norm_warps = 4;
constexpr unsigned norm_threads = norm_warps * warp_size;
constexpr int chunk_columns = 8 * static_cast<int>(warp_size), most_chunks = 4;

/// Columns of a lane's eights. The eight of the last chunk may lie behind the row: the lane reads another one then,
/// without a branch that would part the reads.
template <int chunks>
struct LaneColumns {
  __device__ explicit LaneColumns(std::int64_t hidden) : first(8 * static_cast<int>(threadIdx.x % warp_size)) {
    const int behind = first + (chunks - 1) * chunk_columns;
    has_last = behind < hidden;
    last = has_last ? behind : 0;
  }
  __device__ int of(int chunk) const { return chunk < chunks - 1 ? first + chunk * chunk_columns : last; }
  __device__ bool has(int chunk) const { return chunk < chunks - 1 || has_last; }

  int first, last;
  bool has_last;
};

/// Returns the site. The compiler does not see that its key is the same for each row: it would keep the keys of all
/// rounds of Philox in registers from row to row.
__device__ inline DropoutSite of_one_row(DropoutSite site) {
#ifdef __CUDACC__
  std::uint32_t low = site.key[0], high = site.key[1];
  asm volatile("" : "+r"(low), "+r"(high));
  site.key = {low, high};
#endif
  return site;
}

/// Computes the elements of the lane's eights that dropout keeps: bit i of kept[chunk] is set if it keeps number i. All
/// lanes call it.
///
/// A lane runs counters (dropout_mask.hpp). 32 of them, which neighbouring lanes run at once, give 128 neighbouring
/// elements: word w of lane l is that of element 64 (l / 16) + 16 w + l % 16. So a ballot about word w has the bits of
/// elements 16 w to 16 w + 15 in its lower half, and those of elements 64 further on in its upper half.
template <int chunks>
__device__ void kept_by_dropout(const DropoutSite& of_all_rows, const RowIdentity& identity, std::int64_t row,
                                std::int64_t hidden, std::uint32_t (&kept)[chunks]) {
  GAUSSCSE_UNROLL
  for (int chunk = 0; chunk < chunks; ++chunk) kept[chunk] = 0xFF;
  if (!of_all_rows.active()) return;
  const DropoutSite site = of_one_row(of_all_rows);
  const std::uint32_t lane = threadIdx.x % warp_size, sample = identity.sample[row], position = identity.position[row];
  const std::uint32_t word = lane / 2 % 4, place = lane / 8 % 2 * 16 + lane % 2 * 8;
  GAUSSCSE_UNROLL
  for (int chunk = 0; chunk < chunks; ++chunk) {
    GAUSSCSE_UNROLL
    for (std::uint32_t half = 0; half < 2; ++half) {
      const std::uint32_t round = 2 * static_cast<std::uint32_t>(chunk) + half;
      if (round * (chunk_columns / 2) >= hidden) continue;
      const PhiloxCounter words = dropout_words(site, sample, position, round * warp_size + lane);
      const std::uint32_t of_0 = __ballot_sync(all_lanes, words[0] >= site.threshold);
      const std::uint32_t of_1 = __ballot_sync(all_lanes, words[1] >= site.threshold);
      const std::uint32_t of_2 = __ballot_sync(all_lanes, words[2] >= site.threshold);
      const std::uint32_t of_3 = __ballot_sync(all_lanes, words[3] >= site.threshold);
      const std::uint32_t own = word < 2 ? (word == 0 ? of_0 : of_1) : (word == 2 ? of_2 : of_3);
      if (lane / 16 == half) kept[chunk] = own >> place;
    }
  }
}

/// Returns the value times `scale` if bit `i` is set, else 0.
template <typename T>
__device__ T kept_or_zero(T value, std::uint32_t kept, int i, T scale) {
  return (kept >> i & 1u) != 0 ? value * scale : T{0};
}

template <int chunks, typename T, typename Factor>
__global__ void __launch_bounds__(norm_threads) add_layer_norm_kernel(AddLayerNorm<T, Factor> a, T inverse_hidden) {
  using std::sqrt;
  const std::int64_t row = std::int64_t{blockIdx.x} * norm_warps + threadIdx.x / warp_size;
  if (row >= a.rows) return;
  const LaneColumns<chunks> columns(a.hidden);
  const std::int64_t begin = row * a.hidden;

  Vec8<Factor> x[chunks] = {};
  Vec8<T> bias[chunks] = {}, residual[chunks] = {};
  if (a.x) {
    GAUSSCSE_UNROLL
    for (int k = 0; k < chunks; ++k) x[k] = read_eight(a.x + begin + columns.of(k));
  }
  if (a.residual) {
    GAUSSCSE_UNROLL
    for (int k = 0; k < chunks; ++k) residual[k] = read_eight(a.residual + begin + columns.of(k));
  }
  T values[chunks][8] = {};
  if (a.x) {
    GAUSSCSE_UNROLL
    for (int k = 0; k < chunks; ++k) bias[k] = read_eight(a.bias + columns.of(k));
    std::uint32_t kept[chunks];
    kept_by_dropout<chunks>(a.dropout, a.identity, row, a.hidden, kept);
    const T scale = static_cast<T>(a.dropout.scale);
    GAUSSCSE_UNROLL
    for (int k = 0; k < chunks; ++k) GAUSSCSE_UNROLL
    for (int i = 0; i < 8; ++i) values[k][i] = kept_or_zero<T>(value_at(x[k], i) + bias[k].at[i], kept[k], i, scale);
  }
  T total = 0;
  GAUSSCSE_UNROLL
  for (int k = 0; k < chunks; ++k) GAUSSCSE_UNROLL
  for (int i = 0; i < 8; ++i) {
    if (a.residual) values[k][i] += residual[k].at[i];
    total += columns.has(k) ? values[k][i] : T{0};
  }
  if (a.sum) {
    GAUSSCSE_UNROLL
    for (int k = 0; k < chunks; ++k)
      if (columns.has(k)) write_values(values[k], a.sum + begin + columns.of(k));
  }
  const T mean = warp_sum(total) * inverse_hidden;

  Vec8<T> gamma[chunks], beta[chunks];
  GAUSSCSE_UNROLL
  for (int k = 0; k < chunks; ++k) {
    gamma[k] = read_eight(a.gamma + columns.of(k));
    beta[k] = read_eight(a.beta + columns.of(k));
  }
  T squares = 0;
  GAUSSCSE_UNROLL
  for (int k = 0; k < chunks; ++k) GAUSSCSE_UNROLL
  for (int i = 0; i < 8; ++i) {
    values[k][i] -= mean;
    squares += columns.has(k) ? values[k][i] * values[k][i] : T{0};
  }
  const T inverse = T{1} / sqrt(warp_sum(squares) * inverse_hidden + a.epsilon);
  if (a.normalized && threadIdx.x % warp_size == 0) a.inverse_deviation[row] = inverse;

  std::uint32_t kept[chunks];
  kept_by_dropout<chunks>(a.output_dropout, a.identity, row, a.hidden, kept);
  const T scale = static_cast<T>(a.output_dropout.scale);
  GAUSSCSE_UNROLL
  for (int k = 0; k < chunks; ++k) {
    T out[8];
    GAUSSCSE_UNROLL
    for (int i = 0; i < 8; ++i) {
      values[k][i] *= inverse;
      out[i] = kept_or_zero<T>(values[k][i] * gamma[k].at[i] + beta[k].at[i], kept[k], i, scale);
    }
    if (!columns.has(k)) continue;
    if (a.normalized) write_values(values[k], a.normalized + begin + columns.of(k));
    write_values(out, a.out + begin + columns.of(k));
    if (a.factor) write_values(out, a.factor + begin + columns.of(k));
  }
}

/// Sums over a lane's rows, of its columns, for gamma, beta and the bias. They lie in shared memory, so that more
/// warps' registers fit a multiprocessor. A warp has for each sum and chunk
///
///     the lower four of the eight of lane 0 | of lane 1 | ... | the upper four of lane 0 | ...
template <int chunks, typename T>
class LaneSums {
 public:
  static constexpr int width = chunks * chunk_columns, arrays = 3;
  static constexpr std::int64_t count = norm_warps * arrays * width;
  enum Of { gamma, beta, bias };

  __device__ explicit LaneSums(SharedPointer<T> all) : all_(all) {
    const int thread = static_cast<int>(threadIdx.x), lanes = static_cast<int>(warp_size);
    own_ = thread / lanes * arrays * width + thread % lanes * 4;
    GAUSSCSE_UNROLL
    for (int four = 0; four < arrays * width; four += 4 * lanes) store_four(Vec4<T>{}, all_, own_ + four);
  }
  /// Adds to those of eight columns.
  __device__ void add(Of of, int chunk, const T (&values)[8]) const {
    GAUSSCSE_UNROLL
    for (int half = 0; half < 2; ++half) {
      const int place = own_ + of * width + chunk * chunk_columns + half * (chunk_columns / 2);
      Vec4<T> sums = four_at(all_, place);
      GAUSSCSE_UNROLL
      for (int i = 0; i < 4; ++i) sums.at[i] += values[half * 4 + i];
      store_four(sums, all_, place);
    }
  }
  /// Writes the sums over the block's warps, rows of `hidden` columns. All threads call it.
  __device__ void write(std::int64_t hidden, T* to) const {
    __syncthreads();
    for (int place = static_cast<int>(threadIdx.x); place < arrays * width; place += static_cast<int>(norm_threads)) {
      const int array = place / width, chunk = place % width / chunk_columns, in_chunk = place % chunk_columns;
      const int half = in_chunk / (chunk_columns / 2), lane = in_chunk % (chunk_columns / 2) / 4;
      const int column = chunk * chunk_columns + lane * 8 + half * 4 + in_chunk % 4;
      T total = 0;
      GAUSSCSE_UNROLL
      for (int warp = 0; warp < norm_warps; ++warp) total += all_[warp * arrays * width + place];
      if (column < hidden) to[array * hidden + column] = total;
    }
  }

 private:
  SharedPointer<T> all_;
  int own_;
};

template <int chunks, typename T, typename Factor>
__global__ void __launch_bounds__(norm_threads, 3)
    add_layer_norm_backward_kernel(AddLayerNormBackward<T, Factor> a, T inverse_hidden) {
  SharedArrays shared;
  using Sums = LaneSums<chunks, T>;
  const Sums sums(shared.take<T>(static_cast<std::size_t>(Sums::count)));
  const std::int64_t first = std::int64_t{blockIdx.x} * a.rows_of_block;
  const std::int64_t end = a.rows - first < a.rows_of_block ? a.rows : first + a.rows_of_block;
  const LaneColumns<chunks> columns(a.hidden);
  const T scale = static_cast<T>(a.dropout.scale), output_scale = static_cast<T>(a.output_dropout.scale);

  for (std::int64_t row = first + threadIdx.x / warp_size; row < end; row += norm_warps) {
    const std::int64_t begin = row * a.hidden;
    Vec8<T> grad[chunks], normalized[chunks];
    Vec8<Factor> addend[chunks] = {};
    GAUSSCSE_UNROLL
    for (int k = 0; k < chunks; ++k) grad[k] = read_eight(a.grad_out + begin + columns.of(k));
    GAUSSCSE_UNROLL
    for (int k = 0; k < chunks; ++k) normalized[k] = read_eight(a.normalized + begin + columns.of(k));
    if (a.grad_addend) {
      GAUSSCSE_UNROLL
      for (int k = 0; k < chunks; ++k) addend[k] = read_eight(a.grad_addend + begin + columns.of(k));
    }
    const T inverse = a.inverse_deviation[row];
    if (a.grad_addend) {
      GAUSSCSE_UNROLL
      for (int k = 0; k < chunks; ++k) GAUSSCSE_UNROLL
      for (int i = 0; i < 8; ++i) grad[k].at[i] += value_at(addend[k], i);
    }

    std::uint32_t kept[chunks];
    kept_by_dropout<chunks>(a.output_dropout, a.identity, row, a.hidden, kept);
    T sum = 0, projection = 0;
    GAUSSCSE_UNROLL
    for (int k = 0; k < chunks; ++k) {
      const Vec8<T> gamma = read_eight(a.gamma + columns.of(k));
      T of_gamma[8], of_beta[8];
      GAUSSCSE_UNROLL
      for (int i = 0; i < 8; ++i) {
        const T value = kept_or_zero<T>(columns.has(k) ? grad[k].at[i] : T{0}, kept[k], i, output_scale);
        of_gamma[i] = value * normalized[k].at[i];
        of_beta[i] = value;
        grad[k].at[i] = value * gamma.at[i];
        sum += grad[k].at[i];
        projection += grad[k].at[i] * normalized[k].at[i];
      }
      sums.add(Sums::gamma, k, of_gamma);
      sums.add(Sums::beta, k, of_beta);
    }
    sum = warp_sum(sum) * inverse_hidden;
    projection = warp_sum(projection) * inverse_hidden;
    GAUSSCSE_UNROLL
    for (int k = 0; k < chunks; ++k) GAUSSCSE_UNROLL
    for (int i = 0; i < 8; ++i) grad[k].at[i] = (grad[k].at[i] - sum - normalized[k].at[i] * projection) * inverse;
    GAUSSCSE_UNROLL
    for (int k = 0; k < chunks; ++k)
      if (columns.has(k)) write_eight(grad[k], a.grad_residual + begin + columns.of(k));
    if (!a.grad_x) continue;
    kept_by_dropout<chunks>(a.dropout, a.identity, row, a.hidden, kept);
    GAUSSCSE_UNROLL
    for (int k = 0; k < chunks; ++k) {
      T grad_x[8];
      GAUSSCSE_UNROLL
      for (int i = 0; i < 8; ++i) grad_x[i] = kept_or_zero<T>(grad[k].at[i], kept[k], i, scale);
      sums.add(Sums::bias, k, grad_x);
      if (columns.has(k)) write_values(grad_x, a.grad_x + begin + columns.of(k));
    }
  }
  sums.write(a.hidden, a.partials + std::int64_t{blockIdx.x} * 3 * a.hidden);
}

/// Calls `use` with the number of chunks of a row, as a constant.
template <typename Use>
void with_chunks(std::int64_t hidden, const Use& use) {
  switch (parts_of(hidden, chunk_columns)) {
    case 1:
      return use(std::integral_constant<int, 1>{});
    case 2:
      return use(std::integral_constant<int, 2>{});
    case 3:
      return use(std::integral_constant<int, 3>{});
    case most_chunks:
      return use(std::integral_constant<int, most_chunks>{});
    default:
      throw std::logic_error("rows of " + std::to_string(hidden) + " columns are not kept in registers");
  }
}

}  // namespace gausscse::kernels::cuda
