#pragma once

#include "model/kernels/cpu/int8_rows.hpp"
#include "model/kernels/cpu/scratch.hpp"
#include "model/kernels/cpu/transpose.hpp"
#include "model/kernels/relative_position.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Queries whose scores are computed at a time: each has a lane of a register, which needs no sums over lanes.
constexpr std::int64_t queries_at_a_time = RegisterOf<float>::width;

/// Rows of a head, `stride` apart.
struct HeadRows {
  const float* data;
  std::int64_t stride;
};

/// Computes out [head_size][queries_at_a_time] = the transpose of `count` queries, and 0 for the rest.
inline void transpose_queries(const HeadRows& queries, std::int64_t count, std::int64_t head_size, float* out) {
  if constexpr (bytes_of_register == sizeof(Words)) {
    for_each_register<float>(head_size, [&](std::int64_t column, auto columns) {
      Words words[square] = {};
      for (std::int64_t r = 0; r < count; ++r)
        std::memcpy(&words[r], queries.data + r * queries.stride + column,
                    sizeof(float) * static_cast<std::size_t>(columns));
      transpose_square(words);
      for (std::int64_t c = 0; c < columns; ++c) std::memcpy(out + (column + c) * square, &words[c], sizeof words[c]);
    });
  } else {
    std::memset(out, 0, sizeof(Floats) * static_cast<std::size_t>(head_size));
    for (std::int64_t r = 0; r < count; ++r)
      for (std::int64_t c = 0; c < head_size; ++c)
        out[c * queries_at_a_time + r] = queries.data[r * queries.stride + c];
  }
}

/// Computes the scores of some keys: out [keys][queries_at_a_time].
template <int keys>
inline void scores_of_keys(const float* queries, const HeadRows& rows, std::int64_t first, std::int64_t head_size,
                           float* out) {
  Floats sums[keys];
#pragma GCC unroll 8
  for (int k = 0; k < keys; ++k) sums[k] = Floats{};
  for (std::int64_t d = 0; d < head_size; ++d) {
    const Floats of_queries = load_some(queries + d * queries_at_a_time, queries_at_a_time);
#pragma GCC unroll 8
    for (int k = 0; k < keys; ++k) sums[k] += of_queries * rows.data[(first + k) * rows.stride + d];
  }
#pragma GCC unroll 8
  for (int k = 0; k < keys; ++k) store_some(out + (first + k) * queries_at_a_time, sums[k], queries_at_a_time);
}

/// Turns the scores [tokens][queries_at_a_time] into probabilities over the tokens.
inline void softmax_over_tokens(float* scores, std::int64_t tokens, float scale) {
  const auto at = [=](std::int64_t k) { return load_some(scores + k * queries_at_a_time, queries_at_a_time); };
  const auto put = [=](std::int64_t k, const Floats& values) {
    store_some(scores + k * queries_at_a_time, values, queries_at_a_time);
  };
  Floats largest = at(0);
  for (std::int64_t k = 1; k < tokens; ++k) {
    const Floats values = at(k);
    largest = values > largest ? values : largest;
  }
  const Floats least = Floats{} - 87.0f;
  Floats sum{};
  for (std::int64_t k = 0; k < tokens; ++k) {
    const Floats exponent = (at(k) - largest) * scale;
    const Floats power = exponential_within_range<Floats, Register<std::uint32_t>>(exponent < least ? least : exponent);
    put(k, power);
    sum += power;
  }
  const Floats inverse = 1.0f / sum;
  for (std::int64_t k = 0; k < tokens; ++k) put(k, at(k) * inverse);
}

/// Computes columns from `column` on of the context of some queries: `registers` registers of `count` columns each.
template <int queries, int registers, typename Count>
inline void context_of_columns(const float* probabilities, std::int64_t tokens, const HeadRows& values,
                               std::int64_t column, Count count, float* out, std::int64_t out_stride) {
  Floats sums[queries][registers];
#pragma GCC unroll 8
  for (int q = 0; q < queries; ++q)
#pragma GCC unroll 2
    for (int i = 0; i < registers; ++i) sums[q][i] = Floats{};
  for (std::int64_t k = 0; k < tokens; ++k) {
    Floats of_token[registers];
#pragma GCC unroll 2
    for (int i = 0; i < registers; ++i)
      of_token[i] = load_some(values.data + k * values.stride + column + i * count, count);
#pragma GCC unroll 8
    for (int q = 0; q < queries; ++q)
#pragma GCC unroll 2
      for (int i = 0; i < registers; ++i) sums[q][i] += probabilities[k * queries_at_a_time + q] * of_token[i];
  }
#pragma GCC unroll 8
  for (int q = 0; q < queries; ++q)
#pragma GCC unroll 2
    for (int i = 0; i < registers; ++i) store_some(out + q * out_stride + column + i * count, sums[q][i], count);
}
template <int queries>
inline void context_of_queries(const float* probabilities, std::int64_t tokens, const HeadRows& values,
                               std::int64_t head_size, float* out, std::int64_t out_stride) {
  constexpr std::integral_constant<std::int64_t, RegisterOf<float>::width> width;
  std::int64_t column = 0;
  for (; column + 2 * width <= head_size; column += 2 * width)
    context_of_columns<queries, 2>(probabilities, tokens, values, column, width, out, out_stride);
  for_each_register<float>(head_size - column, [&](std::int64_t c, auto count) {
    context_of_columns<queries, 1>(probabilities, tokens, values, column + c, count, out, out_stride);
  });
}

/// Calls use(first, size) for parts of `count`; `size`, a constant, is `most` but for the last one's.
template <int most, typename Use>
inline void for_each_tile(std::int64_t count, const Use& use) {
  std::int64_t first = 0;
  for (; first + most < count; first += most) use(first, std::integral_constant<int, most>());
  [&]<int... less>(std::integer_sequence<int, less...>) {
    ((count - first == most - less ? use(first, std::integral_constant<int, most - less>()) : void()), ...);
  }
  (std::make_integer_sequence<int, most>());
}

/// Adds biases by relative position to the scores of the queries from the one at `position` of the sentence on, which
/// are still to be multiplied by `scale`. `biases` is memory for tokens + queries_at_a_time floats.
inline void add_biases(const Int8Attention& of, std::int64_t head, std::int64_t position, float scale, float* biases,
                       float* scores) {
  // The bias of query q and key k is biases[q - k + tokens - 1].
  for (std::int64_t o = 0; o < of.tokens + queries_at_a_time - 1; ++o) {
    const int bucket = relative_position_bucket(static_cast<int>(of.tokens - 1 - o - position));
    biases[o] = of.relative_bias[bucket * of.heads + head] / scale;
  }
  for (std::int64_t k = 0; k < of.tokens; ++k) {
    float* const of_key = scores + k * queries_at_a_time;
    store_some(of_key, load_some(of_key, queries_at_a_time) + load_some(biases + of.tokens - 1 - k, queries_at_a_time),
               queries_at_a_time);
  }
}

/// Computes the attention of one sentence. For a tile of queries of a head:
///
///     queries, transposed  [head_size][lanes]
///     scores               [tokens][lanes]     a sum over head_size for each key
///     probabilities        [tokens][lanes]     softmax over tokens, each lane by itself
///     context              [queries][head_size] = probabilities^T values
inline void attention_for_bytes(const Int8Attention& of) {
  Scratch<float> scratch;
  const std::int64_t hidden = of.heads * of.head_size, of_scores = of.tokens * queries_at_a_time;
  float* const scores = scratch.of_size(of_scores + of.head_size * queries_at_a_time + of.tokens + queries_at_a_time);
  float* const transposed = scores + of_scores;
  float* const biases = transposed + of.head_size * queries_at_a_time;
  const float scale = 1.0f / std::sqrt(static_cast<float>(of.head_size));
  for (std::int64_t head = 0; head < of.heads; ++head) {
    const std::int64_t column = head * of.head_size;
    const HeadRows keys{of.key + column, of.stride}, values{of.value + column, of.stride};
    for (std::int64_t q = 0; q < of.queries; q += queries_at_a_time) {
      const std::int64_t count = of.queries - q < queries_at_a_time ? of.queries - q : queries_at_a_time;
      transpose_queries({of.query + q * of.query_stride + column, of.query_stride}, count, of.head_size, transposed);
      for_each_tile<8>(of.tokens, [&](std::int64_t first, auto size) {
        scores_of_keys<size>(transposed, keys, first, of.head_size, scores);
      });
      if (of.relative_bias) add_biases(of, head, q, scale, biases, scores);
      softmax_over_tokens(scores, of.tokens, scale);
      for_each_tile<6>(count, [&](std::int64_t first, auto size) {
        context_of_queries<size>(scores + first, of.tokens, values, of.head_size,
                                 of.context + (q + first) * hidden + column, hidden);
      });
    }
  }
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
