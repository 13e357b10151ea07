#pragma once

#include "model/kernels/cuda/column_tiles.cuh"

namespace gausscse::kernels::cuda {

// A block has one sentence and a tile of columns; a thread goes through the sentence's tokens in one column.

/// Returns a grid for that.
inline LaunchSize grid_of_sentences(const PackedShape& shape, std::int64_t width) {
  return {blocks_of_tiles(shape.sentences, width), 1, tile_columns, 0};
}

template <typename T>
__global__ void mean_of_tokens_kernel(const T* x, PackedShape shape, std::int64_t left_out, std::int64_t width,
                                      T* out) {
  const TilePlace place = tile_place(width);
  if (place.column >= width) return;
  const std::int64_t first = shape.offsets[place.part] + left_out, end = shape.offsets[place.part + 1];
  T sum = 0;
  for (std::int64_t token = first; token < end; ++token) sum += x[token * width + place.column];
  out[place.part * width + place.column] = first < end ? sum / static_cast<T>(end - first) : T{0};
}

/// See Kernels; x is [tokens, width], out [sentences, width].
template <typename T>
void mean_of_tokens(const KernelContext& context, const T* x, const PackedShape& shape, std::int64_t left_out,
                    std::int64_t width, T* out) {
  launch(context, grid_of_sentences(shape, width), mean_of_tokens_kernel<T>, x, shape, left_out, width, out);
}

template <typename T>
__global__ void mean_of_tokens_backward_kernel(const T* grad, PackedShape shape, std::int64_t left_out,
                                               std::int64_t width, T* grad_x) {
  const TilePlace place = tile_place(width);
  if (place.column >= width) return;
  const std::int64_t begin = shape.offsets[place.part], end = shape.offsets[place.part + 1], first = begin + left_out;
  const T of_token = first < end ? grad[place.part * width + place.column] / static_cast<T>(end - first) : T{0};
  for (std::int64_t token = begin; token < end; ++token)
    grad_x[token * width + place.column] = token < first ? T{0} : of_token;
}

/// See Kernels; grad is [sentences, width], grad_x [tokens, width].
template <typename T>
void mean_of_tokens_backward(const KernelContext& context, const T* grad, const PackedShape& shape,
                             std::int64_t left_out, std::int64_t width, T* grad_x) {
  launch(context, grid_of_sentences(shape, width), mean_of_tokens_backward_kernel<T>, grad, shape, left_out, width,
         grad_x);
}

template <typename T>
__global__ void max_of_tokens_kernel(const T* x, PackedShape shape, std::int64_t width, T* out,
                                     std::int32_t* of_maximum) {
  const TilePlace place = tile_place(width);
  if (place.column >= width) return;
  const std::int32_t first = shape.offsets[place.part], end = shape.offsets[place.part + 1];
  std::int32_t from = first < end ? first : -1;
  T maximum = first < end ? x[first * width + place.column] : T{0};
  for (std::int32_t token = first + 1; token < end; ++token) {
    const T value = x[token * width + place.column];
    // A NaN is taken, and stays: nothing is larger.
    const bool larger = value > maximum || value != value;
    maximum = larger ? value : maximum;
    from = larger ? token : from;
  }
  out[place.part * width + place.column] = maximum;
  of_maximum[place.part * width + place.column] = from;
}

/// See Kernels; x is [tokens, width], out and token [sentences, width].
template <typename T>
void max_of_tokens(const KernelContext& context, const T* x, const PackedShape& shape, std::int64_t width, T* out,
                   std::int32_t* token) {
  launch(context, grid_of_sentences(shape, width), max_of_tokens_kernel<T>, x, shape, width, out, token);
}

template <typename T>
__global__ void max_of_tokens_backward_kernel(const T* grad, const std::int32_t* of_maximum, PackedShape shape,
                                              std::int64_t width, T* grad_x) {
  const TilePlace place = tile_place(width);
  if (place.column >= width) return;
  const std::int64_t at = place.part * width + place.column;
  const std::int32_t end = shape.offsets[place.part + 1], from = of_maximum[at];
  const T value = grad[at];
  for (std::int32_t token = shape.offsets[place.part]; token < end; ++token)
    grad_x[token * width + place.column] = token == from ? value : T{0};
}

/// See Kernels; grad and token are [sentences, width], grad_x [tokens, width].
template <typename T>
void max_of_tokens_backward(const KernelContext& context, const T* grad, const std::int32_t* token,
                            const PackedShape& shape, std::int64_t width, T* grad_x) {
  launch(context, grid_of_sentences(shape, width), max_of_tokens_backward_kernel<T>, grad, token, shape, width, grad_x);
}

}  // namespace gausscse::kernels::cuda
