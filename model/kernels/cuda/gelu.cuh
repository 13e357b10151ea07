#pragma once

#include <cmath>

#include "model/kernels/cuda/column_tiles.cuh"
#include "model/kernels/cuda/device_math.cuh"
#include "model/kernels/cuda/eights.cuh"

namespace gausscse::kernels::cuda {

// A warp works on a row of 256 columns at a time, a lane on eight neighbours. A block's warps take neighbouring rows.
// Indexes within a block have 32 bits.

constexpr int gelu_warps = 4, gelu_columns = 8 * static_cast<int>(warp_size);
/// Rows whose eights a thread reads before it uses the first.
constexpr int gelu_rows = 4, gelu_backward_rows = 2;

/// The part of the standard normal distribution behind |x|, and e^(-x^2/2), which its density is made of.
template <typename T>
struct NormalTail {
  T tail, gaussian;
};

__device__ inline NormalTail<double> normal_tail(double x) {
  return {0.5 * erfc(fabs(x) * 0.70710678118654752440), exp(-0.5 * x * x)};
}
/// By one exponential and one reciprocal: Abramowitz and Stegun 26.2.17, whose error is below 7.5e-8. Rounding of
/// float32 and of the special functions makes it 3e-7.
__device__ inline NormalTail<float> normal_tail(float x) {
  const float gaussian = DeviceMath::exp2(-0.72134752f * (x * x));
  const float t = DeviceMath::reciprocal(1.0f + 0.2316419f * fabsf(x));
  float series = 0.530702715f;
  series = series * t - 0.726576014f;
  series = series * t + 0.710706871f;
  series = series * t - 0.142248368f;
  series = series * t + 0.127414796f;
  return {gaussian * (series * t), gaussian};
}

/// Returns gelu(x) of a finite x.
template <typename T>
__device__ T gelu(T x, const NormalTail<T>& normal) {
  using std::fabs;
  return (x > 0 ? x : T{0}) - fabs(x) * normal.tail;
}
/// Returns its derivative.
template <typename T>
__device__ T gelu_derivative(T x, const NormalTail<T>& normal) {
  const T distribution = x > 0 ? T{1} - normal.tail : normal.tail;
  return distribution + static_cast<T>(0.39894228040143267794) * x * normal.gaussian;
}

/// A thread's place: its first column, how many of its eight there are, and the part of rows of its block.
struct GeluPlace {
  __device__ explicit GeluPlace(std::int64_t width) {
    const auto tiles = static_cast<unsigned>(parts_of(width, gelu_columns));
    part = blockIdx.x / tiles;
    column = static_cast<int>((blockIdx.x - part * tiles) * gelu_columns + threadIdx.x % warp_size * 8);
    const int left = static_cast<int>(width) - column;
    count = left < 0 ? 0 : (left > 8 ? 8 : left);
  }

  unsigned part;
  int column, count;
};

/// Returns `count` elements, which are all eight if `in_eights`.
template <bool in_eights, typename Value, typename T>
__device__ Vec8<T> read_columns(const T* from, int count) {
  if constexpr (in_eights) return read_eight(from);
  return read_some<Value>(from, count);
}
template <bool in_eights, typename T, typename To>
__device__ void write_columns(const T (&values)[8], To* to, int count) {
  if constexpr (in_eights)
    write_values(values, to);
  else
    write_some(values, to, count);
}

template <bool in_eights, typename T, typename Factor>
__global__ void __launch_bounds__(gelu_warps* warp_size)
    bias_gelu_kernel(const Factor* x, const T* bias, std::int64_t rows, std::int64_t width, Factor* out) {
  const GeluPlace place(width);
  if (place.count == 0) return;
  constexpr int rows_of_block = gelu_warps * gelu_rows;
  const std::int64_t first = std::int64_t{place.part} * rows_of_block, left = rows - first;
  const int end = left < rows_of_block ? static_cast<int>(left) : rows_of_block, stride = static_cast<int>(width);
  const Factor* const from = x + first * width + place.column;
  Factor* const to = out + first * width + place.column;
  const int warp = static_cast<int>(threadIdx.x / warp_size);

  Vec8<Factor> read[gelu_rows];
  GAUSSCSE_UNROLL
  for (int i = 0; i < gelu_rows; ++i) {
    const int row = warp + i * gelu_warps;
    read[i] = read_columns<in_eights, T>(from + (row < end ? row : 0) * stride, place.count);
  }
  const Vec8<T> own_bias = read_columns<in_eights, T>(bias + place.column, place.count);
  GAUSSCSE_UNROLL
  for (int i = 0; i < gelu_rows; ++i) {
    const int row = warp + i * gelu_warps;
    if (row >= end) continue;
    T values[8];
    GAUSSCSE_UNROLL
    for (int k = 0; k < 8; ++k) {
      const T value = value_at(read[i], k) + own_bias.at[k];
      values[k] = gelu(value, normal_tail(value));
    }
    write_columns<in_eights>(values, to + row * stride, place.count);
  }
}

/// Returns whether a matrix of this width can be read in eights.
template <typename... Arrays>
bool columns_are_eights(std::int64_t width, const Arrays*... arrays) {
  return width % 8 == 0 && begin_with_eights(arrays...);
}

/// See Kernels; float32 as `normal_tail`.
template <typename T, typename Factor>
void bias_gelu(const KernelContext& context, const Factor* x, const T* bias, std::int64_t rows, std::int64_t width,
               Factor* out) {
  const LaunchSize size{parts_of(rows, gelu_warps * gelu_rows) * parts_of(width, gelu_columns), 1,
                        gelu_warps * warp_size, 0};
  launch(
      context, size,
      columns_are_eights(width, x, bias, out) ? bias_gelu_kernel<true, T, Factor> : bias_gelu_kernel<false, T, Factor>,
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

/// Works on the rows `warp`, `warp` + gelu_warps, ... of a block, at whose first row `begin` lies; adds their gradients
/// to `sums`.
template <bool in_eights, typename T, typename Factor>
__device__ void gelu_backward_of_columns(const GeluBackward<T, Factor>& a, std::int64_t begin, int end, int count,
                                         const Vec8<T>& bias, T (&sums)[8]) {
  const int stride = static_cast<int>(a.width), warp = static_cast<int>(threadIdx.x / warp_size);
  for (int first = warp; first < end; first += gelu_warps * gelu_backward_rows) {
    Vec8<Factor> read[gelu_backward_rows], grads[gelu_backward_rows];
    GAUSSCSE_UNROLL
    for (int i = 0; i < gelu_backward_rows; ++i) {
      const int row = first + i * gelu_warps < end ? first + i * gelu_warps : first;
      read[i] = read_columns<in_eights, T>(a.x + begin + row * stride, count);
      grads[i] = read_columns<in_eights, T>(a.grad + begin + row * stride, count);
    }
    GAUSSCSE_UNROLL
    for (int i = 0; i < gelu_backward_rows; ++i) {
      const int row = first + i * gelu_warps;
      if (row >= end) continue;
      T activations[8], gradients[8];
      GAUSSCSE_UNROLL
      for (int k = 0; k < 8; ++k) {
        const T value = value_at(read[i], k) + bias.at[k];
        const NormalTail<T> normal = normal_tail(value);
        activations[k] = gelu(value, normal);
        gradients[k] = value_at(grads[i], k) * gelu_derivative(value, normal);
        sums[k] += gradients[k];
      }
      write_columns<in_eights>(activations, a.activation + begin + row * stride, count);
      write_columns<in_eights>(gradients, a.grad + begin + row * stride, count);
    }
  }
}

template <bool in_eights, typename T, typename Factor>
__global__ void __launch_bounds__(gelu_warps* warp_size) gelu_backward_kernel(GeluBackward<T, Factor> a) {
  SharedArrays shared;
  const SharedPointer<T> of_warps = shared.take<T>(gelu_warps * gelu_columns);
  const GeluPlace place(a.width);
  const std::int64_t first = std::int64_t{place.part} * a.rows_of_block, left = a.rows - first;
  const int end = static_cast<int>(left < a.rows_of_block ? left : a.rows_of_block);
  T sums[8] = {};
  if (place.count > 0)
    gelu_backward_of_columns<in_eights>(a, first * a.width + place.column, end, place.count,
                                        read_columns<in_eights, T>(a.bias + place.column, place.count), sums);

  const int thread = static_cast<int>(threadIdx.x), lanes = static_cast<int>(warp_size), lane = thread % lanes;
  GAUSSCSE_UNROLL
  for (int k = 0; k < 8; ++k) of_warps[thread / lanes * gelu_columns + k * lanes + lane] = sums[k];
  __syncthreads();
  // Each warp adds up the sums of some of the eight columns of all lanes.
  for (int k = thread / lanes; k < place.count; k += gelu_warps) {
    T total = 0;
    GAUSSCSE_UNROLL
    for (int warp = 0; warp < gelu_warps; ++warp) total += of_warps[warp * gelu_columns + k * lanes + lane];
    a.partials[std::int64_t{place.part} * a.width + place.column + k] = total;
  }
}

/// See Kernels; the gradient of the bias is the sum of the gradients before they are rounded.
template <typename T, typename Factor>
void gelu_backward(const KernelContext& context, Factor* grad, const Factor* x, const T* bias, RowShards rows,
                   std::int64_t width, T* grad_bias, Factor* activation) {
  if (rows.rows() == 0 || width == 0) return;
  const std::int64_t rows_of_block = rows_of_summed_part(rows.rows()), parts = parts_of(rows.rows(), rows_of_block);
  auto* const partials = static_cast<T*>(context.scratch->get(static_cast<std::size_t>(parts * width) * sizeof(T)));
  const LaunchSize size{parts * parts_of(width, gelu_columns), 1, gelu_warps * warp_size,
                        shared_bytes_of<T>(gelu_warps * gelu_columns)};
  launch(context, size,
         columns_are_eights(width, grad, x, bias, activation) ? gelu_backward_kernel<true, T, Factor>
                                                              : gelu_backward_kernel<false, T, Factor>,
         GeluBackward<T, Factor>{grad, x, bias, rows.rows(), width, rows_of_block, activation, partials});
  add_partial_sums(context, partials, parts, 1, width, SummedArrays<T>{{grad_bias}});
}

}  // namespace gausscse::kernels::cuda
