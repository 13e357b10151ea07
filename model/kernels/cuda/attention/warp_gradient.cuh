#pragma once

#include "model/kernels/cuda/attention/warp_relative.cuh"

namespace gausscse::kernels::cuda {

// Parts of the backward of attention by tensor cores. With P the probabilities, D the gradient of the dropped ones and
// s the scale of those that dropout keeps, the gradient of scores is
//
//     P * (s * kept * D - sum over the keys of s * kept * D * P) = s * P * (kept * D - projection)
//
// The factor s and that of the scores come last, where sums of these are written.

/// Arrays of a block for a backward.
template <typename Shape>
struct WarpGradientArrays {
  SharedPointer<Bfloat16> queries, keys, values, grads;  ///< rows of a head; grads: of the context
  SharedPointer<Bfloat16> dropped, grad_scores;          ///< [64, weight_stride]
  WarpScores<Shape> scores;
  SharedPointer<float> of_threads;

  __device__ WarpGradientArrays(SharedArrays& shared, int warp)
      : queries(shared.take<Bfloat16>(Shape::rows * Shape::row_stride)),
        keys(shared.take<Bfloat16>(Shape::rows * Shape::row_stride)),
        values(shared.take<Bfloat16>(Shape::rows * Shape::row_stride)),
        grads(shared.take<Bfloat16>(Shape::rows * Shape::row_stride)),
        dropped(shared.take<Bfloat16>(Shape::rows * Shape::weight_stride)),
        grad_scores(shared.take<Bfloat16>(Shape::rows * Shape::weight_stride)),
        scores(shared, warp),
        of_threads(shared.take<float>(attention_threads)) {}
};

/// Rows of the gradient of the context.
__device__ inline WarpRows warp_rows_of_grad(const Attention& attention, const WarpTile& tile,
                                             const Bfloat16* grad_context, SharedPointer<Bfloat16> to) {
  return {context_of(grad_context, attention, tile.head, tile.first), static_cast<int>(attention.hidden), nullptr,
          tile.rows_of(tile.head.queries), to};
}

/// Returns the product of this lane's row of the gradient of the context with another row of the head, in both of the
/// query's lanes.
template <typename Shape, typename Element>
__device__ float product_with_grad(SharedPointer<Bfloat16> grad, const Element* row) {
  float sum = 0;
  GAUSSCSE_UNROLL
  for (int column = 0; column < Shape::width / 2; column += 8) {
    const int own = this_lane() / tile_rows * (Shape::width / 2) + column;
    const Vec8<Bfloat16> of_grad = eight_at(grad, query_of_lane() * Shape::row_stride + own);
    const Vec8<Element> other = read_eight(row + own);
    GAUSSCSE_UNROLL
    for (int i = 0; i < 8; ++i) sum += value_at(of_grad, i) * value_at(other, i);
  }
  return sum_of_lanes(sum);
}

/// Adds the product with the values' bias to the gradients of dropped probabilities, and drops the same of them.
template <typename Shape>
__device__ void drop_gradients(const Attention& attention, float of_bias, unsigned kept, WarpKeyValues<Shape>& grads) {
  for_each_key<Shape>(grads, [&](float& grad, int, int) { grad += of_bias; });
  if (attention.dropout.threshold != 0) drop<Shape>(kept, grads);
}

/// Turns these gradients into those of scores.
template <typename Shape>
__device__ void differentiate_softmax(const WarpKeyValues<Shape>& probabilities, float projection, WarpKeyValues<Shape>& grads) {
  for_each_key<Shape>(grads,
                      [&](float& grad, int tile, int i) { grad = probabilities[tile][i] * (grad - projection); });
}

/// Factors of gradients that are written: of gradients of values, and of gradients of queries and keys.
struct GradientFactors {
  float of_values, of_scores;

  __device__ explicit GradientFactors(const AttentionInput<float, Bfloat16>& input)
      : of_values(static_cast<float>(input.attention.dropout.scale)), of_scores(of_values * input.scale) {}
};

/// Adds up the bucket sums of a block's threads over some warps from `first` on, in their order.
__device__ inline float sum_of_warps(SharedPointer<float> of_threads, int first, int warps) {
  float sum = 0;
  for (int warp = first; warp < first + warps; ++warp) sum += of_threads[lanes_of_warp * warp + this_lane()];
  return sum;
}

}  // namespace gausscse::kernels::cuda
