#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <type_traits>

#include "model/kernels/cuda/attention_long_backward.cuh"
#include "model/kernels/cuda/attention_short.cuh"
#include "model/kernels/cuda/attention_warp_backward.cuh"
#include "model/kernels/gpu_attention.hpp"

namespace gausscse::kernels::cuda {

template <typename Element>
bool is_aligned_in_fours(const Element* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % alignof(Four<Element>) == 0;
}

/// Returns whether tensor cores compute short sentences.
template <typename T, typename Factor>
constexpr bool is_for_warps(std::int64_t head_size) {
  return sizeof(Factor) == sizeof(Bfloat16) && (head_size == 32 || head_size == 64);
}

/// Throws std::invalid_argument where a head is too wide. `grad_context` may be null.
template <typename T, typename Factor>
AttentionInput<T, Factor> attention_input(const Attention& arguments, const Factor* qkv, const T* bias,
                                          const T* relative_bias, const Factor* grad_context) {
  const std::int64_t head_size = arguments.hidden / arguments.heads;
  if (head_size > widest_attention_head_of_gpus)
    throw std::invalid_argument("attention on a GPU: a head of " + std::to_string(head_size) + " columns, at most " +
                                std::to_string(widest_attention_head_of_gpus) + " are possible");
  HeadLayout layout;
  layout.width = static_cast<int>(head_size);
  layout.fours = (layout.width + 3) / 4;
  layout.stride = 4 * std::max(layout.fours | 1, attention_rows / 4 + 1);
  layout.row_threads = 1;
  while (layout.row_threads < layout.fours) layout.row_threads *= 2;
  layout.in_fours = head_size % 4 == 0 && is_aligned_in_fours(qkv) && is_aligned_in_fours(grad_context);
  layout.bias_in_fours = head_size % 4 == 0 && is_aligned_in_fours(bias);
  const int rows = round_up_to_four(static_cast<int>(std::min<std::int64_t>(arguments.shape.longest, attention_rows)));
  const int short_tokens = is_for_warps<T, Factor>(head_size) ? attention_classes * tile_rows : attention_rows;
  return {arguments, qkv, bias, layout, rows, T{1} / std::sqrt(static_cast<T>(head_size)), relative_bias, short_tokens};
}

/// Returns a block for each head of each sentence, and for each tile of up to `tokens` tokens; each with these arrays
/// in shared memory.
template <typename T, typename Factor>
LaunchSize attention_size(const AttentionInput<T, Factor>& input, std::int64_t tokens, int tiles_of_rows,
                          int tiles_of_scores) {
  return {input.attention.shape.sentences * input.attention.heads, parts_of(tokens, attention_rows), attention_threads,
          static_cast<std::size_t>(tiles_of_rows) * shared_bytes_of<T>(input.rows * input.layout.stride) +
              static_cast<std::size_t>(tiles_of_scores) * shared_bytes_of<T>(input.rows * input.rows)};
}

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

/// Throws std::logic_error where matrices of bfloat16 or the bias cannot be read by 16 bytes.
template <typename... Arrays>
void check_eights(const Arrays*... arrays) {
  if (!begin_with_eights(arrays...)) throw std::logic_error("attention on a GPU: a matrix begins at an odd address");
}

template <int columns, bool relative, typename T, typename Factor>
void launch_attention(const KernelContext& where, const AttentionInput<T, Factor>& input, Factor* context,
                      T* statistics) {
  const Attention& arguments = input.attention;
  bool is_done = false;
  if constexpr (is_for_warps<T, Factor>(32 * columns)) {
    if (input.layout.width == 32 * columns) {
      check_eights(input.qkv, input.bias, context);
      const WarpGrid grid = warp_grid(arguments);
      launch(where, warp_size_of<32 * columns>(grid, false), attention_warp_kernel<32 * columns, relative>, input, grid,
             context);
      is_done = true;
    }
  }
  if (!is_done)
    launch(where, attention_size(input, 1, 3, 0), attention_short_kernel<columns, relative, T, Factor>, input, context);
  if (arguments.shape.longest <= input.short_tokens) return;
  const std::int64_t queries = arguments.first_token_only ? 1 : arguments.shape.longest;
  launch(where, attention_size(input, queries, 3, 1), attention_long_kernel<columns, relative, T, Factor>, input,
         context, statistics);
}

template <int columns, bool relative, typename T, typename Factor>
void launch_attention_backward(const KernelContext& where, const AttentionInput<T, Factor>& input,
                               const Factor* context, const T* statistics, const Factor* grad_context, Factor* grad_qkv,
                               T* grad_relative_bias) {
  const Attention& arguments = input.attention;
  const PackedShape& shape = arguments.shape;
  bool is_done = false;
  if constexpr (is_for_warps<T, Factor>(32 * columns)) {
    if (input.layout.width == 32 * columns) {
      check_eights(input.qkv, input.bias, grad_context, grad_qkv);
      const WarpGrid grid = warp_grid(arguments);
      launch(where, warp_size_of<32 * columns>(grid, true), attention_warp_backward_kernel<32 * columns, relative>,
             input, grid, grad_context, grad_qkv, grad_relative_bias);
      is_done = true;
    }
  }
  if (!is_done)
    launch(where, attention_size(input, 1, 4, 2), attention_short_backward_kernel<columns, relative, T, Factor>, input,
           grad_context, grad_qkv, grad_relative_bias);
  if (shape.longest <= input.short_tokens) return;
  const std::int64_t queries = arguments.first_token_only ? 1 : shape.longest;
  const std::int64_t rows = arguments.first_token_only ? shape.sentences : shape.tokens;
  const std::int64_t count = rows * arguments.heads, blocks = shape.sentences * arguments.heads,
                     tiles = parts_of(queries, attention_rows),
                     sums = relative ? blocks * tiles * relative_position_buckets : 0;
  auto* const projections = static_cast<T*>(where.scratch->get(static_cast<std::size_t>(count + sums) * sizeof(T)));
  T* const bucket_sums = projections + count;
  launch(where, attention_size(input, queries, 4, 1), attention_long_queries_kernel<columns, relative, T, Factor>,
         input, statistics, context, grad_context, grad_qkv, projections, bucket_sums);
  if constexpr (relative)
    launch(where, {blocks, 1, relative_position_buckets, 0}, add_bucket_sums_kernel<T, Factor>, input, bucket_sums,
           tiles, grad_relative_bias);
  launch(where, attention_size(input, shape.longest, 4, 2), attention_long_keys_kernel<columns, relative, T, Factor>,
         input, statistics, projections, grad_context, grad_qkv);
}

/// Calls `function` with how many columns each lane has, and whether there are biases by relative position, as
/// constants.
template <typename T, typename Factor, typename Function>
void with_shape_of_head(const AttentionInput<T, Factor>& input, const Function& function) {
  const auto with_columns = [&](auto columns) {
    if (input.relative_bias)
      function(columns, std::true_type{});
    else
      function(columns, std::false_type{});
  };
  if (input.layout.width <= 32) {
    with_columns(std::integral_constant<int, 1>{});
  } else if (input.layout.width <= 64) {
    with_columns(std::integral_constant<int, 2>{});
  } else {
    with_columns(std::integral_constant<int, 4>{});
  }
}

/// Computes attention over qkv + bias, as `Kernels` says. Heads are up to 128 columns wide.
template <typename T, typename Factor>
void attention(const KernelContext& where, const Attention& arguments, const Factor* qkv, const T* bias,
               const T* relative_bias, Factor* context, T* statistics) {
  const auto input = attention_input<T, Factor>(arguments, qkv, bias, relative_bias, nullptr);
  with_shape_of_head(input, [&](auto columns, auto relative) {
    launch_attention<decltype(columns)::value, decltype(relative)::value>(where, input, context, statistics);
  });
}

/// Computes its backward; every token is attended to. `grad_qkv` [tokens, 3*hidden] is overwritten. Throws
/// std::invalid_argument where the forward's context or statistics are needed and null.
template <typename T, typename Factor>
void attention_backward(const KernelContext& where, const Attention& arguments, const Factor* qkv, const T* bias,
                        const T* relative_bias, const Factor* context, const T* statistics, const Factor* grad_context,
                        Factor* grad_qkv, T* grad_relative_bias) {
  const auto input = attention_input<T, Factor>(arguments, qkv, bias, relative_bias, grad_context);
  if (arguments.shape.longest > input.short_tokens && !(context && statistics))
    throw std::invalid_argument("attention on a GPU: the backward of a sentence of " +
                                std::to_string(arguments.shape.longest) +
                                " tokens needs the context and the statistics of its forward");
  with_shape_of_head(input, [&](auto columns, auto relative) {
    launch_attention_backward<decltype(columns)::value, decltype(relative)::value>(
        where, input, context, statistics, grad_context, grad_qkv, grad_relative_bias);
  });
}

}  // namespace gausscse::kernels::cuda
