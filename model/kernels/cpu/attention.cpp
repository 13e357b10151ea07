#include "model/kernels/cpu/declarations.hpp"
#include "model/kernels/cpu/dropout.hpp"
#include "model/kernels/cpu/scratch.hpp"
#include "model/kernels/cpu/small_product.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

namespace {

/// One head of one sentence. Rows of `query`, `key` and `value` are `stride` apart; rows over tokens (scores,
/// probabilities, transposed keys) are `padded` apart.
template <typename T>
struct HeadView {
  const T* query;
  const T* key;
  const T* value;
  std::int64_t stride;
  std::int64_t queries;
  std::int64_t tokens;
  std::int64_t padded;
  std::int64_t head_size;

  StridedFactor<T> rows(const T* of) const { return {of, stride, 1}; }
  StridedFactor<T> over_tokens(const T* of) const { return {of, padded, 1}; }
  StridedFactor<T> over_queries(const T* of) const { return {of, 1, padded}; }
};

template <typename T>
HeadView<T> view_of(const Attention& arguments, const T* qkv, std::int64_t sentence, std::int64_t head) {
  const std::int64_t head_size = arguments.hidden / arguments.heads;
  const std::int64_t first = arguments.shape.offsets[sentence];
  const std::int64_t tokens = arguments.shape.offsets[sentence + 1] - first;
  const T* query = qkv + first * 3 * arguments.hidden + head * head_size;
  return {query,
          query + arguments.hidden,
          query + 2 * arguments.hidden,
          3 * arguments.hidden,
          arguments.first_token_only ? 1 : tokens,
          tokens,
          (tokens + 15) / 16 * 16,
          head_size};
}

/// out [queries, padded] = rows [queries, head_size] others^T [head_size, tokens]
template <typename T>
void multiply_by_transposed(const HeadView<T>& view, const StridedFactor<T>& rows, const T* others, T* transposed,
                            T* out) {
  for (std::int64_t d = 0; d < view.head_size; ++d) {
    for (std::int64_t j = 0; j < view.tokens; ++j) transposed[d * view.padded + j] = others[j * view.stride + d];
    for (std::int64_t j = view.tokens; j < view.padded; ++j) transposed[d * view.padded + j] = 0;
  }
  small_product(rows, view.queries, view.head_size, transposed, view.padded, view.padded, out, view.padded);
}

/// `padded` scores become probabilities over the first `tokens` of them; those of the rest are 0.
template <typename T>
void softmax(T* scores, std::int64_t tokens, std::int64_t padded, T scale) {
  for (std::int64_t j = tokens; j < padded; ++j) scores[j] = scores[0];
  T largest = scores[0];
#pragma omp simd reduction(max : largest)
  for (std::int64_t j = 0; j < padded; ++j) largest = largest > scores[j] ? largest : scores[j];
#pragma omp simd
  for (std::int64_t j = 0; j < padded; ++j) scores[j] = exponential((scores[j] - largest) * scale);
  for (std::int64_t j = tokens; j < padded; ++j) scores[j] = 0;
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t j = 0; j < padded; ++j) sum += scores[j];
  const T inverse = T{1} / sum;
#pragma omp simd
  for (std::int64_t j = 0; j < padded; ++j) scores[j] *= inverse;
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

template <typename T>
void attention(const Attention& arguments, const T* qkv, T* context) {
  const PackedShape& shape = arguments.shape;
#pragma omp parallel
  {
    Scratch<T> scratch;
#pragma omp for schedule(dynamic, 4)
    for (std::int64_t s = 0; s < shape.sentences; ++s) {
      for (std::int64_t head = 0; head < arguments.heads; ++head) {
        const HeadView<T> view = view_of(arguments, qkv, s, head);
        T* transposed = scratch.of_size((view.head_size + view.queries) * view.padded);
        T* probabilities = transposed + view.head_size * view.padded;
        attend(view, transposed, probabilities);
        drop(arguments, view, s, head, probabilities);
        const std::int64_t first_row = arguments.first_token_only ? s : shape.offsets[s];
        small_product(view.over_tokens(probabilities), view.queries, view.tokens, view.value, view.stride,
                      view.head_size, context + first_row * arguments.hidden + head * view.head_size, arguments.hidden);
      }
    }
  }
}

template <typename T>
void attention_backward(const Attention& arguments, const T* qkv, const T* grad_context, T* grad_qkv) {
  const PackedShape& shape = arguments.shape;
#pragma omp parallel
  {
    Scratch<T> scratch;
#pragma omp for schedule(dynamic, 4)
    for (std::int64_t s = 0; s < shape.sentences; ++s) {
      const std::int64_t first_row = arguments.first_token_only ? s : shape.offsets[s];
      for (std::int64_t head = 0; head < arguments.heads; ++head) {
        const HeadView<T> view = view_of(arguments, qkv, s, head);
        const std::int64_t matrix = view.queries * view.padded;
        T* transposed = scratch.of_size(view.head_size * view.padded + 3 * matrix);
        T* probabilities = transposed + view.head_size * view.padded;
        T* dropped = probabilities + matrix;
        T* grad_scores = dropped + matrix;
        const T* grad = grad_context + first_row * arguments.hidden + head * view.head_size;

        attend(view, transposed, probabilities);
        multiply_by_transposed(view, {grad, arguments.hidden, 1}, view.value, transposed, grad_scores);
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

        T* grad_query = grad_qkv + (view.query - qkv);
        small_product(view.over_tokens(grad_scores), view.queries, view.tokens, view.key, view.stride, view.head_size,
                      grad_query, view.stride);
        for (std::int64_t i = view.queries; i < view.tokens; ++i)
          std::memset(grad_query + i * view.stride, 0, sizeof(T) * static_cast<std::size_t>(view.head_size));
        small_product(view.over_queries(grad_scores), view.tokens, view.queries, view.query, view.stride,
                      view.head_size, grad_query + arguments.hidden, view.stride);
        small_product(view.over_queries(dropped), view.tokens, view.queries, grad, arguments.hidden, view.head_size,
                      grad_query + 2 * arguments.hidden, view.stride);
      }
    }
  }
}

template void attention<float>(const Attention&, const float*, float*);
template void attention<double>(const Attention&, const double*, double*);
template void attention_backward<float>(const Attention&, const float*, const float*, float*);
template void attention_backward<double>(const Attention&, const double*, const double*, double*);

}  // namespace gausscse::kernels::GAUSSCSE_ISA
