#pragma once

#include "model/kernels/cpu/int8_rows.hpp"
#include "model/kernels/cpu/scratch.hpp"
#include "model/kernels/cpu/transpose.hpp"
#include "model/kernels/relative_position.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Queries whose scores are computed at a time: each has a lane of a register, which needs no sums over lanes.
constexpr std::int64_t queries_at_a_time = RegisterOf<float>::width;
/// Keys whose scores, and queries two of whose registers of the context, are in registers at a time.
constexpr bool many_registers = bytes_of_register == 64;
constexpr int keys_of_tile = many_registers ? 16 : 8, queries_of_tile = many_registers ? 12 : 4;

/// Rows of a head, `stride` apart.
struct HeadRows {
  const float* data;
  std::int64_t stride;
};

/// Computes out [head_size][queries_at_a_time] = the transpose of `count` queries, and 0 for the rest.
template <typename Values = Floats>
inline void transpose_queries(const HeadRows& queries, std::int64_t count, std::int64_t head_size, float* out) {
  if constexpr (sizeof(Values) == sizeof(Words)) {
    for_each_register<float>(head_size, [&](std::int64_t column, auto columns) {
      Words words[square];
#pragma GCC unroll 16
      for (int r = 0; r < square; ++r)
        words[r] = r < count ? reinterpret_cast<Words>(load_some(queries.data + r * queries.stride + column, columns))
                             : Words{};
      transpose_square(words);
      for (std::int64_t c = 0; c < columns; ++c)
        store_some(out + (column + c) * square, reinterpret_cast<Values>(words[c]), square);
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
#pragma GCC unroll 16
  for (int k = 0; k < keys; ++k) sums[k] = Floats{};
  for (std::int64_t d = 0; d < head_size; ++d) {
    const Floats of_queries = load_some(queries + d * queries_at_a_time, queries_at_a_time);
#pragma GCC unroll 16
    for (int k = 0; k < keys; ++k) sums[k] += of_queries * rows.data[(first + k) * rows.stride + d];
  }
#pragma GCC unroll 16
  for (int k = 0; k < keys; ++k) store_some(out + (first + k) * queries_at_a_time, sums[k], queries_at_a_time);
}

/// Turns the scores [heads][tokens][queries_at_a_time] into exponentials, and writes the factors
/// [heads][queries_at_a_time] that make them probabilities.
template <int heads>
inline void softmax_over_tokens(float* scores, std::int64_t tokens, float scale, float* factors) {
  constexpr std::int64_t lanes = queries_at_a_time;
  const auto place = [=](int head, std::int64_t k) { return scores + (head * tokens + k) * lanes; };
  Floats largest[heads], sums[heads];
#pragma GCC unroll 16
  for (int head = 0; head < heads; ++head) {
    largest[head] = load_some(place(head, 0), lanes);
    sums[head] = Floats{};
  }
  for (std::int64_t k = 1; k < tokens; ++k)
#pragma GCC unroll 16
    for (int head = 0; head < heads; ++head) largest[head] = larger(largest[head], load_some(place(head, k), lanes));
  const Floats least = Floats{} - 87.0f;
  for (std::int64_t k = 0; k < tokens; ++k)
#pragma GCC unroll 16
    for (int head = 0; head < heads; ++head) {
      const Floats exponent = larger(least, (load_some(place(head, k), lanes) - largest[head]) * scale);
      const Floats power = exponential_within_range<Floats, Register<std::uint32_t>>(exponent);
      store_some(place(head, k), power, lanes);
      sums[head] += power;
    }
#pragma GCC unroll 16
  for (int head = 0; head < heads; ++head) store_some(factors + head * lanes, 1.0f / sums[head], lanes);
}

/// Computes columns from `column` on of the context of some queries: `registers` registers of `count` columns each.
template <int queries, int registers, typename Count>
inline void context_of_columns(const float* exponentials, const float* factors, std::int64_t tokens,
                               const HeadRows& values, std::int64_t column, Count count, float* out,
                               std::int64_t out_stride) {
  Floats sums[queries][registers];
#pragma GCC unroll 16
  for (int q = 0; q < queries; ++q)
#pragma GCC unroll 2
    for (int i = 0; i < registers; ++i) sums[q][i] = Floats{};
  for (std::int64_t k = 0; k < tokens; ++k) {
    Floats of_token[registers];
#pragma GCC unroll 2
    for (int i = 0; i < registers; ++i)
      of_token[i] = load_some(values.data + k * values.stride + column + i * count, count);
#pragma GCC unroll 16
    for (int q = 0; q < queries; ++q)
#pragma GCC unroll 2
      for (int i = 0; i < registers; ++i) sums[q][i] += exponentials[k * queries_at_a_time + q] * of_token[i];
  }
#pragma GCC unroll 16
  for (int q = 0; q < queries; ++q)
#pragma GCC unroll 2
    for (int i = 0; i < registers; ++i)
      store_some(out + q * out_stride + column + i * count, sums[q][i] * factors[q], count);
}
template <int queries>
inline void context_of_queries(const float* exponentials, const float* factors, std::int64_t tokens,
                               const HeadRows& values, std::int64_t head_size, float* out, std::int64_t out_stride) {
  constexpr std::integral_constant<std::int64_t, RegisterOf<float>::width> width;
  std::int64_t column = 0;
  for (; column + 2 * width <= head_size; column += 2 * width)
    context_of_columns<queries, 2>(exponentials, factors, tokens, values, column, width, out, out_stride);
  for_each_register<float>(head_size - column, [&](std::int64_t c, auto count) {
    context_of_columns<queries, 1>(exponentials, factors, tokens, values, column + c, count, out, out_stride);
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

/// Makes scores of keys that are farther than `farthest` from a lane's query so low that their exponentials vanish. The
/// queries are those from `query` on, the keys those from `first_key` on.
inline void leave_out_far_keys(std::int64_t farthest, std::int64_t query, std::int64_t first_key, std::int64_t keys,
                               float* scores) {
  for (std::int64_t k = 0; k < keys; ++k)
    for (std::int64_t lane = 0; lane < queries_at_a_time; ++lane) {
      const std::int64_t places = first_key + k - query - lane;
      if (places > farthest || -places > farthest) scores[k * queries_at_a_time + lane] = -3e38f;
    }
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
///     exponentials         [tokens][lanes]     softmax over tokens, each lane by itself
///     context              [queries][head_size] = exponentials^T values, times a factor for each query
///
/// Some heads are computed step by step together, so that fewer instructions wait for each other.
inline void attention_for_bytes(const Int8Attention& of) {
  constexpr int heads_at_a_time = 4;
  constexpr std::int64_t lanes = queries_at_a_time;
  Scratch<float> scratch;
  const std::int64_t hidden = of.heads * of.head_size;
  float* const scores = scratch.of_size((heads_at_a_time * (of.tokens + 1) + of.head_size) * lanes + of.tokens + lanes);
  float* const factors = scores + heads_at_a_time * of.tokens * lanes;
  float* const transposed = factors + heads_at_a_time * lanes;
  float* const biases = transposed + of.head_size * lanes;
  const float scale = 1.0f / std::sqrt(static_cast<float>(of.head_size));
  for_each_tile<heads_at_a_time>(of.heads, [&](std::int64_t first_head, auto heads) {
    for (std::int64_t q = 0; q < of.queries; q += lanes) {
      const std::int64_t count = of.queries - q < lanes ? of.queries - q : lanes;
      const KeyRange range = keys_near(q, count, of.tokens, of.farthest);
      const std::int64_t tokens = range.end - range.begin, of_head = tokens * lanes;
      const float* const keys = of.key + range.begin * of.stride;
      const float* const values = of.value + range.begin * of.stride;
      for (std::int64_t i = 0; i < heads; ++i) {
        const std::int64_t column = (first_head + i) * of.head_size;
        transpose_queries({of.query + q * of.query_stride + column, of.query_stride}, count, of.head_size, transposed);
        for_each_tile<keys_of_tile>(tokens, [&](std::int64_t first, auto size) {
          scores_of_keys<size>(transposed, {keys + column, of.stride}, first, of.head_size, scores + i * of_head);
        });
        if (tokens - 1 > of.farthest) leave_out_far_keys(of.farthest, q, range.begin, tokens, scores + i * of_head);
        if (of.relative_bias) add_biases(of, first_head + i, q, scale, biases, scores + i * of_head);
      }
      softmax_over_tokens<heads>(scores, tokens, scale, factors);
      for (std::int64_t i = 0; i < heads; ++i) {
        const std::int64_t column = (first_head + i) * of.head_size;
        for_each_tile<queries_of_tile>(count, [&](std::int64_t first, auto size) {
          context_of_queries<size>(scores + i * of_head + first, factors + i * lanes + first, tokens,
                                   {values + column, of.stride}, of.head_size,
                                   of.context + (q + first) * hidden + column, hidden);
        });
      }
    }
  });
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
