#pragma once

#include "model/kernels/cpu/rounding.hpp"
#include "model/kernels/cpu/small_product.hpp"
#include "model/kernels/cpu/transpose.hpp"
#include "model/kernels/dropout_mask.hpp"
#include "model/kernels/kernels.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// One head of one sentence: queries, keys and values with their biases, [tokens, head_size] each, in a thread's
/// memory. Rows over tokens (scores, probabilities, transposed keys) are `padded` apart.
template <typename T>
struct HeadView {
  T* query;
  T* key;
  T* value;
  std::int64_t queries;
  std::int64_t tokens;  ///< number of tokens that are attended to
  std::int64_t padded;
  std::int64_t head_size;
  std::int64_t column;  ///< first column of the head, in rows of `hidden` columns

  StridedFactor<T> rows(const T* of) const { return {of, head_size, 1}; }
  StridedFactor<T> over_tokens(const T* of) const { return {of, padded, 1}; }
  StridedFactor<T> over_queries(const T* of) const { return {of, 1, padded}; }
  /// Returns `count` queries from `first` on, and the keys of a range alone.
  HeadView part(std::int64_t first, std::int64_t count, const KeyRange& keys) const {
    HeadView of = *this;
    of.query += first * head_size;
    of.queries = count;
    of.key += keys.begin * head_size;
    of.value += keys.begin * head_size;
    of.tokens = keys.end - keys.begin;
    of.padded = attention_mask_width(of.tokens);
    return of;
  }
  /// Elements of the memory that queries, keys and values take.
  std::int64_t memory() const { return (queries + 2 * tokens) * head_size; }
};

template <typename T>
HeadView<T> view_of(const Attention& arguments, std::int64_t sentence, std::int64_t head) {
  const std::int64_t head_size = arguments.hidden / arguments.heads;
  const PackedShape& shape = arguments.shape;
  const std::int64_t all = shape.offsets[sentence + 1] - shape.offsets[sentence];
  const std::int64_t tokens = shape.attended ? shape.attended[sentence] : all;
  return {.query = nullptr,
          .key = nullptr,
          .value = nullptr,
          .queries = arguments.first_token_only ? 1 : all,
          .tokens = tokens,
          .padded = attention_mask_width(tokens),
          .head_size = head_size,
          .column = head * head_size};
}

/// Computes out [rows, columns] = from + bias, where rows of `from` are `stride` apart; `bias` may be null.
template <typename T, typename Factor>
void load_rows(const Factor* from, std::int64_t stride, const T* bias, std::int64_t rows, std::int64_t columns,
               T* out) {
  for (std::int64_t r = 0; r < rows; ++r)
    for_each_register<T>(columns, [=](std::int64_t c, auto count) {
      const Register<T> values = load_values(from + r * stride + c, count);
      store_some(out + r * columns + c, bias ? values + load_some(bias + c, count) : values, count);
    });
}

/// Does the opposite of `load_rows`.
template <typename T, typename Factor>
void store_rows(const T* from, std::int64_t rows, std::int64_t columns, Factor* out, std::int64_t stride) {
  for (std::int64_t r = 0; r < rows; ++r)
    for_each_register<T>(columns, [=](std::int64_t c, auto count) {
      store_values(load_some(from + r * columns + c, count), out + r * stride + c, count);
    });
}

/// Fills `view`'s queries, keys and values into `memory`. `qkv` are the sentence's rows.
template <typename T, typename Factor>
void load_head(const Attention& arguments, const Factor* qkv, const T* bias, T* memory, HeadView<T>& view) {
  const std::int64_t stride = 3 * arguments.hidden;
  const auto load_part = [&](std::int64_t part, std::int64_t rows, T* to) {
    const std::int64_t column = part * arguments.hidden + view.column;
    load_rows(qkv + column, stride, bias + column, rows, view.head_size, to);
    return to;
  };
  view.query = load_part(0, view.queries, memory);
  view.key = load_part(1, view.tokens, view.query + view.queries * view.head_size);
  view.value = load_part(2, view.tokens, view.key + view.tokens * view.head_size);
}

/// Computes out [queries, padded] = rows [queries, head_size] others^T [head_size, tokens]
template <typename T>
void multiply_by_transposed(const HeadView<T>& view, const StridedFactor<T>& rows, const T* others, T* transposed,
                            T* out) {
  transpose_rows(others, view.tokens, view.head_size, view.padded, transposed);
  small_product(rows, view.queries, view.head_size, transposed, view.padded, view.padded, out, view.padded);
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
