#include "model/kernels/cpu/declarations.hpp"
#include "model/kernels/cpu/dropout.hpp"
#include "model/kernels/cpu/rounding.hpp"
#include "model/kernels/cpu/scratch.hpp"
#include "model/kernels/cpu/small_product.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

namespace {

/// One head of one sentence: queries, keys and values with their biases, [tokens, head_size] each, in a thread's
/// memory. Rows over tokens (scores, probabilities, transposed keys) are `padded` apart.
template <typename T>
struct HeadView {
  T* query;
  T* key;
  T* value;
  std::int64_t queries;
  std::int64_t tokens;  ///< that are attended to
  std::int64_t padded;
  std::int64_t head_size;
  std::int64_t column;  ///< of the head, in rows of `hidden` columns

  StridedFactor<T> rows(const T* of) const { return {of, head_size, 1}; }
  StridedFactor<T> over_tokens(const T* of) const { return {of, padded, 1}; }
  StridedFactor<T> over_queries(const T* of) const { return {of, 1, padded}; }
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

/// out [rows, columns] = from + bias, where rows of `from` are `stride` apart; `bias` may be null.
template <typename T, typename Factor>
void load_rows(const Factor* from, std::int64_t stride, const T* bias, std::int64_t rows, std::int64_t columns,
               T* out) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const Factor* from_row = from + r * stride;
    T* out_row = out + r * columns;
    if (bias) {
#pragma omp simd
      for (std::int64_t c = 0; c < columns; ++c) out_row[c] = value_of(from_row[c]) + bias[c];
    } else {
#pragma omp simd
      for (std::int64_t c = 0; c < columns; ++c) out_row[c] = value_of(from_row[c]);
    }
  }
}

/// The opposite of `load_rows`.
template <typename T, typename Factor>
void store_rows(const T* from, std::int64_t rows, std::int64_t columns, Factor* out, std::int64_t stride) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const T* from_row = from + r * columns;
    Factor* out_row = out + r * stride;
#pragma omp simd
    for (std::int64_t c = 0; c < columns; ++c) put(from_row[c], out_row[c]);
  }
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

/// out [queries, padded] = rows [queries, head_size] others^T [head_size, tokens]
template <typename T>
void multiply_by_transposed(const HeadView<T>& view, const StridedFactor<T>& rows, const T* others, T* transposed,
                            T* out) {
  for (std::int64_t d = 0; d < view.head_size; ++d) {
    for (std::int64_t j = 0; j < view.tokens; ++j) transposed[d * view.padded + j] = others[j * view.head_size + d];
    for (std::int64_t j = view.tokens; j < view.padded; ++j) transposed[d * view.padded + j] = 0;
  }
  small_product(rows, view.queries, view.head_size, transposed, view.padded, view.padded, out, view.padded);
}

/// `padded` scores become probabilities over the first `tokens` of them; those of the rest are 0.
template <typename T>
void softmax(T* scores, std::int64_t tokens, std::int64_t padded, T scale) {
  constexpr std::int64_t width = VectorOf<T>::width;
  const Vector<T> first = Vector<T>{} + scores[0], count = Vector<T>{} + static_cast<T>(tokens);
  Vector<T> lane;
  for (std::int64_t l = 0; l < width; ++l) lane[l] = static_cast<T>(l);
  const auto is_token = [&](std::int64_t j) { return lane + static_cast<T>(j) < count; };

  Vector<T> largest = first;
  for (std::int64_t j = 0; j < padded; j += width) {
    const Vector<T> of_tokens = is_token(j) ? load(scores + j) : first;
    largest = of_tokens > largest ? of_tokens : largest;
  }
  largest = Vector<T>{} + horizontal_maximum<T>(largest);
  Vector<T> sums{};
  for (std::int64_t j = 0; j < padded; j += width) {
    const Vector<T> powers = is_token(j) ? exponential((load(scores + j) - largest) * scale) : Vector<T>{};
    store(scores + j, powers);
    sums += powers;
  }
  const T inverse = T{1} / horizontal_sum<T>(sums);
  for (std::int64_t j = 0; j < padded; j += width) store(scores + j, load(scores + j) * inverse);
}

/// Probabilities [queries, padded], before dropout.
template <typename T>
void attend(const HeadView<T>& view, T* transposed, T* probabilities) {
  multiply_by_transposed(view, view.rows(view.query), view.key, transposed, probabilities);
  const T scale = T{1} / std::sqrt(static_cast<T>(view.head_size));
  for (std::int64_t i = 0; i < view.queries; ++i)
    softmax(probabilities + i * view.padded, view.tokens, view.padded, scale);
}

/// A mask has one row for each head; its elements run over queries and padded tokens.
template <typename T, typename... Matrices>
void drop(const Attention& arguments, const HeadView<T>& view, std::int64_t sentence, std::int64_t head,
          Matrices*... matrices) {
  if (arguments.dropout.active())
    apply_dropout(arguments.dropout, arguments.shape.samples[sentence], static_cast<std::uint32_t>(head),
                  view.queries * view.padded, matrices...);
}

}  // namespace

template <typename T, typename Factor>
void attention(const Attention& arguments, const Factor* qkv, const T* bias, Factor* context) {
  const PackedShape& shape = arguments.shape;
#pragma omp parallel
  {
    Scratch<T> scratch;
#pragma omp for schedule(dynamic, 4)
    for (std::int64_t s = 0; s < shape.sentences; ++s) {
      const std::int64_t first_row = arguments.first_token_only ? s : shape.offsets[s];
      for (std::int64_t head = 0; head < arguments.heads; ++head) {
        HeadView<T> view = view_of<T>(arguments, s, head);
        T* transposed = scratch.of_size(view.head_size * view.padded + view.queries * (view.padded + view.head_size) +
                                        view.memory());
        T* probabilities = transposed + view.head_size * view.padded;
        T* head_context = probabilities + view.queries * view.padded;
        load_head(arguments, qkv + shape.offsets[s] * 3 * arguments.hidden, bias,
                  head_context + view.queries * view.head_size, view);
        attend(view, transposed, probabilities);
        drop(arguments, view, s, head, probabilities);
        small_product(view.over_tokens(probabilities), view.queries, view.tokens, view.value, view.head_size,
                      view.head_size, head_context, view.head_size);
        store_rows(head_context, view.queries, view.head_size, context + first_row * arguments.hidden + view.column,
                   arguments.hidden);
      }
    }
  }
}

template <typename T, typename Factor>
void attention_backward(const Attention& arguments, const Factor* qkv, const T* bias, const Factor* grad_context,
                        Factor* grad_qkv) {
  const PackedShape& shape = arguments.shape;
  const std::int64_t stride = 3 * arguments.hidden;
#pragma omp parallel
  {
    Scratch<T> scratch;
#pragma omp for schedule(dynamic, 4)
    for (std::int64_t s = 0; s < shape.sentences; ++s) {
      const std::int64_t first_row = arguments.first_token_only ? s : shape.offsets[s];
      for (std::int64_t head = 0; head < arguments.heads; ++head) {
        HeadView<T> view = view_of<T>(arguments, s, head);
        const std::int64_t matrix = view.queries * view.padded;
        T* transposed =
            scratch.of_size(view.head_size * (view.padded + view.queries + view.tokens) + 3 * matrix + view.memory());
        T* probabilities = transposed + view.head_size * view.padded;
        T* dropped = probabilities + matrix;
        T* grad_scores = dropped + matrix;
        T* grad = grad_scores + matrix;
        T* product = grad + view.queries * view.head_size;
        load_head(arguments, qkv + shape.offsets[s] * stride, bias, product + view.tokens * view.head_size, view);
        load_rows(grad_context + first_row * arguments.hidden + view.column, arguments.hidden,
                  static_cast<const T*>(nullptr), view.queries, view.head_size, grad);

        attend(view, transposed, probabilities);
        multiply_by_transposed(view, view.rows(grad), view.value, transposed, grad_scores);
        std::memcpy(dropped, probabilities, sizeof(T) * static_cast<std::size_t>(matrix));
        drop(arguments, view, s, head, dropped, grad_scores);
        const T scale = T{1} / std::sqrt(static_cast<T>(view.head_size));
        for (std::int64_t i = 0; i < view.queries; ++i) {
          const T* row = probabilities + i * view.padded;
          T* grad_row = grad_scores + i * view.padded;
          T projection = 0;
#pragma omp simd reduction(+ : projection)
          for (std::int64_t j = 0; j < view.padded; ++j) projection += grad_row[j] * row[j];
#pragma omp simd
          for (std::int64_t j = 0; j < view.padded; ++j) grad_row[j] = row[j] * (grad_row[j] - projection) * scale;
        }

        Factor* grad_query = grad_qkv + shape.offsets[s] * stride + view.column;
        // The gradient of queries, keys or values is a product of `a` with rows `b`.
        const auto multiply_into = [&](std::int64_t part, std::int64_t rows, const StridedFactor<T>& a,
                                       std::int64_t inner, const T* b) {
          small_product(a, rows, inner, b, view.head_size, view.head_size, product, view.head_size);
          store_rows(product, rows, view.head_size, grad_query + part * arguments.hidden, stride);
        };
        multiply_into(0, view.queries, view.over_tokens(grad_scores), view.tokens, view.key);
        for (std::int64_t i = view.queries; i < view.tokens; ++i)
          std::memset(grad_query + i * stride, 0, sizeof(Factor) * static_cast<std::size_t>(view.head_size));
        multiply_into(1, view.tokens, view.over_queries(grad_scores), view.queries, view.query);
        multiply_into(2, view.tokens, view.over_queries(dropped), view.queries, grad);
      }
    }
  }
}

#define INSTANTIATE(T, Factor)                                                            \
  template void attention<T, Factor>(const Attention&, const Factor*, const T*, Factor*); \
  template void attention_backward<T, Factor>(const Attention&, const Factor*, const T*, const Factor*, Factor*);
INSTANTIATE(float, float)
INSTANTIATE(double, double)
INSTANTIATE(float, Bfloat16)

}  // namespace gausscse::kernels::GAUSSCSE_ISA
