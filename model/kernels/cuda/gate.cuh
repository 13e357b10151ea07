#pragma once

#include <cmath>

#include "model/kernels/cuda/gelu.cuh"

namespace gausscse::kernels::cuda {

// Parts of the layers of families with gates and rotary positions. A thread works on one column, or on one pair.

/// An activation's value and derivative.
template <typename T>
struct ActivationAt {
  T value, derivative;
};
template <typename T>
__device__ ActivationAt<T> activation_at(Activation activation, T x) {
  using std::exp;
  if (activation == Activation::gelu) {
    const NormalTail<T> normal = normal_tail(x);
    return {gelu(x, normal), gelu_derivative(x, normal)};
  }
  const T logistic = T{1} / (T{1} + exp(-x));
  return {x * logistic, logistic + x * logistic * (T{1} - logistic)};
}

template <typename Factor>
__global__ void gate_kernel(Activation activation, const Factor* x, std::int64_t rows, std::int64_t width,
                            Factor* out) {
  using T = decltype(value_of(*x));
  const TilePlace place = tile_place(width);
  if (place.column >= width || place.part >= rows) return;
  const Factor* const a = x + place.part * 2 * width + place.column;
  put(activation_at<T>(activation, value_of(a[0])).value * value_of(a[width]), out[place.part * width + place.column]);
}

/// See Kernels.
template <typename T, typename Factor>
void gate(const KernelContext& context, Activation activation, const Factor* x, std::int64_t rows, std::int64_t width,
          Factor* out) {
  launch(context, {blocks_of_tiles(rows, width), 1, tile_columns, 0}, gate_kernel<Factor>, activation, x, rows, width,
         out);
}

template <typename Factor>
__global__ void gate_backward_kernel(Activation activation, const Factor* grad, const Factor* x, std::int64_t rows,
                                     std::int64_t width, Factor* grad_x, Factor* out) {
  using T = decltype(value_of(*x));
  const TilePlace place = tile_place(width);
  if (place.column >= width || place.part >= rows) return;
  const std::int64_t of_a = place.part * 2 * width + place.column, of_out = place.part * width + place.column;
  const ActivationAt<T> at = activation_at<T>(activation, value_of(x[of_a]));
  const T b = value_of(x[of_a + width]), gradient = value_of(grad[of_out]);
  put(gradient * b * at.derivative, grad_x[of_a]);
  put(gradient * at.value, grad_x[of_a + width]);
  put(at.value * b, out[of_out]);
}

/// See Kernels.
template <typename T, typename Factor>
void gate_backward(const KernelContext& context, Activation activation, const Factor* grad, const Factor* x,
                   std::int64_t rows, std::int64_t width, Factor* grad_x, Factor* out) {
  launch(context, {blocks_of_tiles(rows, width), 1, tile_columns, 0}, gate_backward_kernel<Factor>, activation, grad, x,
         rows, width, grad_x, out);
}

template <typename T, typename Factor>
__global__ void rotate_kernel(Factor* x, RotatedColumns columns, const T* angles, const std::uint32_t* positions,
                              T direction) {
  const std::int64_t half = columns.head_size / 2, pairs = columns.heads * half;
  const TilePlace place = tile_place(pairs);
  if (place.column >= pairs || place.part >= columns.rows) return;
  const std::int64_t head = place.column / half, c = place.column - head * half;
  const T* const of_row = angles + positions[place.part] * columns.head_size;
  const T cosine = of_row[c], sine = of_row[half + c] * direction;
  Factor* const at = x + place.part * columns.stride + columns.first + head * columns.head_size + c;
  const T a = value_of(at[0]), b = value_of(at[half]);
  put(a * cosine - b * sine, at[0]);
  put(b * cosine + a * sine, at[half]);
}

/// See Kernels.
template <typename T, typename Factor>
void rotate(const KernelContext& context, Factor* x, const RotatedColumns& columns, const T* angles,
            const std::uint32_t* positions, double direction) {
  launch(context, {blocks_of_tiles(columns.rows, columns.heads * columns.head_size / 2), 1, tile_columns, 0},
         rotate_kernel<T, Factor>, x, columns, angles, positions, static_cast<T>(direction));
}

}  // namespace gausscse::kernels::cuda
