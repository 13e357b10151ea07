#pragma once

#include <algorithm>
#include <iterator>
#include <numeric>

#include "model/kernels/cuda/attention/relative.cuh"
#include "model/kernels/cuda/attention/warp_backward.cuh"
#include "model/kernels/cuda/attention/warp_long_backward.cuh"

namespace gausscse::kernels::cuda {

/// Returns the blocks for short sentences. Where the classes of lengths are not known, all sentences are in that of the
/// longest one.
inline WarpGrid warp_grid(const Attention& attention) {
  const PackedShape& shape = attention.shape;
  const LengthClasses& classes = shape.classes;
  WarpGrid grid{classes.sentences, {}, {}, {}};
  const std::int64_t longest =
      std::min<std::int64_t>(parts_of(shape.longest, attention_class_tokens), attention_classes);
  for (int c = 0; c < attention_classes; ++c) {
    grid.first[c] = classes.first[c];
    const std::int64_t sentences = classes.sentences  ? classes.first[c + 1] - classes.first[c]
                                   : c + 1 == longest ? shape.sentences
                                                      : 0;
    grid.pairs[c] = static_cast<unsigned>(sentences * attention.heads);
    grid.blocks[c] = static_cast<unsigned>(parts_of(grid.pairs[c], attention_warps / (c + 1)));
  }
  return grid;
}

/// Returns the size of the grid, with the shared memory that the longest of its sentences need.
template <int width, int tiles = attention_classes>
LaunchSize warp_size_of(const WarpGrid& grid, bool is_backward) {
  if constexpr (tiles > 1) {
    if (grid.blocks[tiles - 1] == 0) return warp_size_of<width, tiles - 1>(grid, is_backward);
  }
  using Shape = WarpShape<width, tiles>;
  const std::int64_t blocks = std::accumulate(std::begin(grid.blocks), std::end(grid.blocks), std::int64_t{0});
  return {blocks, 1, attention_threads, is_backward ? Shape::backward_bytes : Shape::forward_bytes};
}

/// Returns a block for each head of each sentence, and for each tile of up to `tokens` tokens.
inline LaunchSize long_size_of(const Attention& attention, std::int64_t tokens, std::size_t shared_bytes) {
  return {attention.shape.sentences * attention.heads, parts_of(tokens, tile_rows * attention_warps), attention_threads,
          shared_bytes};
}

/// Throws std::logic_error where matrices of bfloat16 or the bias cannot be read by 16 bytes.
template <typename... Arrays>
void check_eights(const Arrays*... arrays) {
  if (!begin_with_eights(arrays...)) throw std::logic_error("attention on a GPU: a matrix begins at an odd address");
}

template <int width, bool relative>
void launch_attention_by_warps(const KernelContext& where, const AttentionInput<float, Bfloat16>& input,
                               Bfloat16* context, float* statistics) {
  check_eights(input.qkv, input.bias, context);
  const WarpGrid grid = warp_grid(input.attention);
  launch(where, warp_size_of<width>(grid, false), attention_warp_kernel<width, relative>, input, grid, context);
  launch(where,
         long_size_of(input.attention, longest_queries(input), WarpShape<width, attention_classes>::forward_bytes),
         attention_warp_long_kernel<width, relative>, input, context, statistics);
}

template <int width, bool relative>
void launch_attention_backward_by_warps(const KernelContext& where, const AttentionInput<float, Bfloat16>& input,
                                        const Bfloat16* context, const float* statistics, const Bfloat16* grad_context,
                                        Bfloat16* grad_qkv, float* grad_relative_bias) {
  check_eights(input.qkv, input.bias, grad_context, grad_qkv);
  const Attention& attention = input.attention;
  const WarpGrid grid = warp_grid(attention);
  launch(where, warp_size_of<width>(grid, true), attention_warp_backward_kernel<width, relative>, input, grid,
         grad_context, grad_qkv, grad_relative_bias);
  const std::int64_t keys = longest_keys(input), queries = longest_queries(input);
  if (keys == 0) return;
  check_eights(context);
  const LaunchSize of_queries = long_size_of(attention, queries, LongShape<width>::backward_bytes),
                   of_keys = long_size_of(attention, keys, LongShape<width>::backward_bytes);
  const std::int64_t rows = context_rows(attention), count = rows * attention.heads,
                     masks = attention.dropout.active() ? 2 * count * of_keys.blocks_y : 0,
                     sums = relative ? of_queries.blocks_x * of_queries.blocks_y * relative_position_buckets : 0;
  static_assert(sizeof(float) == sizeof(std::uint32_t));
  auto* const scratch =
      static_cast<float*>(where.scratch->get(static_cast<std::size_t>(4 * count + masks + sums) * sizeof(float)));
  const LongBackward between{reinterpret_cast<Vec4<float>*>(scratch),
                             reinterpret_cast<std::uint32_t*>(scratch + 4 * count), rows};
  float* const bucket_sums = scratch + 4 * count + masks;
  launch(where, of_queries, attention_warp_queries_kernel<width, relative>, input, between, statistics, context,
         grad_context, grad_qkv, bucket_sums);
  if constexpr (relative)
    launch(where, {of_queries.blocks_x, 1, relative_position_buckets, 0}, add_bucket_sums_kernel<float, Bfloat16>,
           input, bucket_sums, of_queries.blocks_y, tile_rows * attention_warps, grad_relative_bias);
  launch(where, of_keys, attention_warp_keys_kernel<width, relative>, input, between, grad_context, grad_qkv);
}

}  // namespace gausscse::kernels::cuda
