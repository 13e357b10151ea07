#include <cstdlib>
#include <new>

#include "model/kernels/cpu/declarations.hpp"
#include "model/kernels/cpu/dropout.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

namespace {

/// Scratch of one thread: grows to the longest sentence, is kept between calls.
template <typename T>
class Scratch {
 public:
  ~Scratch() { std::free(data_); }
  T* of_size(std::int64_t count) {
    if (count > capacity_) {
      std::free(data_);
      const auto bytes = (static_cast<std::size_t>(count) * sizeof(T) + 63) / 64 * 64;
      data_ = static_cast<T*>(std::aligned_alloc(64, bytes));
      if (!data_) std::abort();
      capacity_ = count;
    }
    return data_;
  }

 private:
  T* data_ = nullptr;
  std::int64_t capacity_ = 0;
};

/// One head of one sentence. Rows of `query`, `key` and `value` are `stride` apart; keys and values are also kept
/// transposed, [head_size, padded], so that loops over tokens vectorise.
template <typename T>
struct HeadView {
  const T* query;
  const T* key;
  const T* value;
  std::int64_t stride;
  std::int64_t tokens;
  std::int64_t padded;
  std::int64_t head_size;
};

template <typename T>
void transpose(const T* rows, std::int64_t stride, const HeadView<T>& view, T* transposed) {
  for (std::int64_t d = 0; d < view.head_size; ++d) {
    for (std::int64_t j = 0; j < view.tokens; ++j) transposed[d * view.padded + j] = rows[j * stride + d];
    for (std::int64_t j = view.tokens; j < view.padded; ++j) transposed[d * view.padded + j] = 0;
  }
}

/// products[j] = sum over d of row[d] * transposed[d][j]
template <typename T>
void multiply_row(const T* row, const T* transposed, const HeadView<T>& view, T* products) {
  constexpr std::int64_t width = VectorOf<T>::width;
  for (std::int64_t j = 0; j < view.padded; j += width) {
    Vector<T> sum{};
    for (std::int64_t d = 0; d < view.head_size; ++d) sum += row[d] * load(transposed + d * view.padded + j);
    store(products + j, sum);
  }
}

/// Probabilities of query row `i` over all tokens, before dropout.
template <typename T>
void softmax_row(const HeadView<T>& view, const T* key_transposed, std::int64_t i, T scale, T* probabilities) {
  multiply_row(view.query + i * view.stride, key_transposed, view, probabilities);
  T largest = probabilities[0];
#pragma omp simd reduction(max : largest)
  for (std::int64_t j = 0; j < view.tokens; ++j) largest = largest > probabilities[j] ? largest : probabilities[j];
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t j = 0; j < view.tokens; ++j) {
    probabilities[j] = exponential((probabilities[j] - largest) * scale);
    sum += probabilities[j];
  }
  const T inverse = T{1} / sum;
#pragma omp simd
  for (std::int64_t j = 0; j < view.tokens; ++j) probabilities[j] *= inverse;
}

/// out[d] += factor * row[d]
template <typename T>
inline void add_scaled(const T* row, T factor, std::int64_t head_size, T* out) {
#pragma omp simd
  for (std::int64_t d = 0; d < head_size; ++d) out[d] += factor * row[d];
}

std::uint32_t mask_row(std::int64_t head, std::int64_t query) {
  return static_cast<std::uint32_t>(head << 16 | query);
}

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
          tokens,
          (tokens + 15) / 16 * 16,
          head_size};
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
        T* key_transposed = scratch.of_size((view.head_size + 1) * view.padded);
        T* probabilities = key_transposed + view.head_size * view.padded;
        transpose(view.key, view.stride, view, key_transposed);
        const T scale = T{1} / std::sqrt(static_cast<T>(view.head_size));
        const std::int64_t queries = arguments.first_token_only ? 1 : view.tokens;
        const std::int64_t first_row = arguments.first_token_only ? s : shape.offsets[s];
        for (std::int64_t i = 0; i < queries; ++i) {
          softmax_row(view, key_transposed, i, scale, probabilities);
          if (arguments.dropout.active())
            apply_dropout(arguments.dropout, shape.samples[s], mask_row(head, i), view.tokens, probabilities);
          T* out = context + (first_row + i) * arguments.hidden + head * view.head_size;
          for (std::int64_t d = 0; d < view.head_size; ++d) out[d] = 0;
          for (std::int64_t j = 0; j < view.tokens; ++j)
            add_scaled(view.value + j * view.stride, probabilities[j], view.head_size, out);
        }
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
      const std::int64_t first = shape.offsets[s];
      std::memset(grad_qkv + first * 3 * arguments.hidden, 0,
                  sizeof(T) * static_cast<std::size_t>((shape.offsets[s + 1] - first) * 3 * arguments.hidden));
      for (std::int64_t head = 0; head < arguments.heads; ++head) {
        const HeadView<T> view = view_of(arguments, qkv, s, head);
        T* key_transposed = scratch.of_size((2 * view.head_size + 3) * view.padded);
        T* value_transposed = key_transposed + view.head_size * view.padded;
        T* probabilities = value_transposed + view.head_size * view.padded;
        T* grad_probabilities = probabilities + view.padded;
        T* dropped = grad_probabilities + view.padded;
        transpose(view.key, view.stride, view, key_transposed);
        transpose(view.value, view.stride, view, value_transposed);
        T* grad_query = grad_qkv + (view.query - qkv);
        T* grad_key = grad_query + arguments.hidden;
        T* grad_value = grad_key + arguments.hidden;
        const T scale = T{1} / std::sqrt(static_cast<T>(view.head_size));
        const std::int64_t queries = arguments.first_token_only ? 1 : view.tokens;
        const std::int64_t first_row = arguments.first_token_only ? s : first;
        for (std::int64_t i = 0; i < queries; ++i) {
          const T* grad_row = grad_context + (first_row + i) * arguments.hidden + head * view.head_size;
          softmax_row(view, key_transposed, i, scale, probabilities);
          multiply_row(grad_row, value_transposed, view, grad_probabilities);
          const T* kept = probabilities;
          if (arguments.dropout.active()) {
            std::memcpy(dropped, probabilities, sizeof(T) * static_cast<std::size_t>(view.tokens));
            apply_dropout(arguments.dropout, shape.samples[s], mask_row(head, i), view.tokens, dropped);
            apply_dropout(arguments.dropout, shape.samples[s], mask_row(head, i), view.tokens, grad_probabilities);
            kept = dropped;
          }
          T projection = 0;
#pragma omp simd reduction(+ : projection)
          for (std::int64_t j = 0; j < view.tokens; ++j) projection += grad_probabilities[j] * probabilities[j];
          const T* query_row = view.query + i * view.stride;
          for (std::int64_t j = 0; j < view.tokens; ++j) {
            add_scaled(grad_row, kept[j], view.head_size, grad_value + j * view.stride);
            const T grad_score = probabilities[j] * (grad_probabilities[j] - projection) * scale;
            add_scaled(view.key + j * view.stride, grad_score, view.head_size, grad_query + i * view.stride);
            add_scaled(query_row, grad_score, view.head_size, grad_key + j * view.stride);
          }
        }
      }
    }
  }
}

template void attention<float>(const Attention&, const float*, float*);
template void attention<double>(const Attention&, const double*, double*);
template void attention_backward<float>(const Attention&, const float*, const float*, float*);
template void attention_backward<double>(const Attention&, const double*, const double*, double*);

}  // namespace gausscse::kernels::GAUSSCSE_ISA
