#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "model/kernels/cuda/attention/long_backward.cuh"
#include "model/kernels/cuda/attention/short.cuh"
#include "model/kernels/cuda/attention/warp_launch.cuh"

namespace gausscse::kernels::cuda {

template <typename Element>
bool is_aligned_in_fours(const Element* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % alignof(Vec4<Element>) == 0;
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
  const T scale = T{1} / std::sqrt(static_cast<T>(head_size));
  return {arguments, qkv,   bias,          layout,
          rows,      scale, relative_bias, short_attention_tokens(head_size, sizeof(Factor) == sizeof(Bfloat16))};
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

template <int columns, bool relative, typename T, typename Factor>
void launch_attention(const KernelContext& where, const AttentionInput<T, Factor>& input, Factor* context,
                      T* statistics) {
  launch(where, attention_size(input, 1, 3, 0), attention_short_kernel<columns, relative, T, Factor>, input, context);
  launch(where, attention_size(input, longest_queries(input), 3, 1),
         attention_long_kernel<columns, relative, T, Factor>, input, context, statistics);
}

template <int columns, bool relative, typename T, typename Factor>
void launch_attention_backward(const KernelContext& where, const AttentionInput<T, Factor>& input,
                               const Factor* context, const T* statistics, const Factor* grad_context, Factor* grad_qkv,
                               T* grad_relative_bias) {
  const Attention& arguments = input.attention;
  launch(where, attention_size(input, 1, 4, 2), attention_short_backward_kernel<columns, relative, T, Factor>, input,
         grad_context, grad_qkv, grad_relative_bias);
  if (longest_keys(input) == 0) return;
  const std::int64_t blocks = arguments.shape.sentences * arguments.heads, queries = longest_queries(input),
                     count = context_rows(arguments) * arguments.heads, tiles = parts_of(queries, attention_rows),
                     sums = relative ? blocks * tiles * relative_position_buckets : 0;
  auto* const projections = static_cast<T*>(where.scratch->get(static_cast<std::size_t>(count + sums) * sizeof(T)));
  T* const bucket_sums = projections + count;
  launch(where, attention_size(input, queries, 4, 1), attention_long_queries_kernel<columns, relative, T, Factor>,
         input, statistics, context, grad_context, grad_qkv, projections, bucket_sums);
  if constexpr (relative)
    launch(where, {blocks, 1, relative_position_buckets, 0}, add_bucket_sums_kernel<T, Factor>, input, bucket_sums,
           tiles, attention_rows, grad_relative_bias);
  launch(where, attention_size(input, longest_keys(input), 4, 2),
         attention_long_keys_kernel<columns, relative, T, Factor>, input, statistics, projections, grad_context,
         grad_qkv);
}

/// Calls by_warps(width, relative) where tensor cores compute attention, else by_lanes(columns, relative) with how many
/// columns each lane has; both with whether there are biases by relative position. All of these are constants.
template <typename T, typename Factor, typename ByWarps, typename ByLanes>
void with_shape_of_head(const AttentionInput<T, Factor>& input, const ByWarps& by_warps, const ByLanes& by_lanes) {
  const auto call = [&](const auto& function, auto number) {
    if (input.relative_bias)
      function(number, std::true_type{});
    else
      function(number, std::false_type{});
  };
  const int width = input.layout.width;
  if constexpr (sizeof(Factor) == sizeof(Bfloat16)) {
    if (width == 32) return call(by_warps, std::integral_constant<int, 32>{});
    if (width == 64) return call(by_warps, std::integral_constant<int, 64>{});
  } else {
    if (width <= 32) return call(by_lanes, std::integral_constant<int, 1>{});
    if (width <= 64) return call(by_lanes, std::integral_constant<int, 2>{});
  }
  // Few models have heads of other widths than tensor cores compute: in bfloat16 these kernels serve all of them.
  call(by_lanes, std::integral_constant<int, 4>{});
}

/// Computes attention over qkv + bias, as `Kernels` says. Heads are up to 128 columns wide.
template <typename T, typename Factor>
void attention(const KernelContext& where, const Attention& arguments, const Factor* qkv, const T* bias,
               const T* relative_bias, Factor* context, T* statistics) {
  const auto input = attention_input<T, Factor>(arguments, qkv, bias, relative_bias, nullptr);
  with_shape_of_head(
      input,
      [&](auto width, auto relative) {
        launch_attention_by_warps<decltype(width)::value, decltype(relative)::value>(where, input, context, statistics);
      },
      [&](auto columns, auto relative) {
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
  with_shape_of_head(
      input,
      [&](auto width, auto relative) {
        launch_attention_backward_by_warps<decltype(width)::value, decltype(relative)::value>(
            where, input, context, statistics, grad_context, grad_qkv, grad_relative_bias);
      },
      [&](auto columns, auto relative) {
        launch_attention_backward<decltype(columns)::value, decltype(relative)::value>(
            where, input, context, statistics, grad_context, grad_qkv, grad_relative_bias);
      });
}

}  // namespace gausscse::kernels::cuda
