#pragma once

#include "model/kernels/cpu/attention_head.hpp"
#include "model/kernels/cpu/dropout.hpp"
#include "model/kernels/cpu/relative_bias.hpp"
#include "model/kernels/cpu/scratch.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Turns `padded` scores into probabilities over those from `begin` on and before `end`; those of the rest are 0.
template <typename T>
void softmax(T* scores, std::int64_t begin, std::int64_t end, std::int64_t padded, T scale) {
  constexpr std::int64_t width = VectorOf<T>::width;
  const Vector<T> first = Vector<T>{} + scores[begin], least = Vector<T>{} + static_cast<T>(begin),
                  behind = Vector<T>{} + static_cast<T>(end);
  Vector<T> lane;
  for (std::int64_t l = 0; l < width; ++l) lane[l] = static_cast<T>(l);
  const auto is_token = [&](std::int64_t j) {
    const Vector<T> place = lane + static_cast<T>(j);
    return (place >= least) & (place < behind);
  };

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

/// Probabilities [queries, padded], before dropout. The first query is at the place `place` from the first key.
template <typename T>
void attend(const Attention& arguments, const HeadView<T>& view, const RelativeBias<T>& bias, std::int64_t place,
            T* transposed, T* probabilities) {
  multiply_by_transposed(view, view.rows(view.query), view.key, transposed, probabilities);
  const T scale = T{1} / std::sqrt(static_cast<T>(view.head_size));
  if (bias.of_head) add_relative_bias(view, bias, scale, probabilities);
  for (std::int64_t i = 0; i < view.queries; ++i) {
    const KeyRange keys = keys_near(place + i, 1, view.tokens, arguments.farthest);
    softmax(probabilities + i * view.padded, keys.begin, keys.end, view.padded, scale);
  }
}

/// Drops elements of the matrices by the head's mask, which has one row for each head; its elements run over queries
/// and padded tokens.
template <typename T, typename... Matrices>
void drop(const Attention& arguments, const HeadView<T>& view, std::int64_t sentence, std::int64_t head,
          Matrices*... matrices) {
  if (arguments.dropout.active())
    apply_dropout(arguments.dropout, arguments.shape.samples[sentence], static_cast<std::uint32_t>(head),
                  view.queries * view.padded, matrices...);
}

/// One head of one sentence, and memory for its results.
template <typename T>
struct HeadInMemory {
  HeadView<T> view;
  RelativeBias<T> relative;
  std::int64_t sentence, head;
  std::int64_t first_row;  ///< first row of the sentence's queries, among all
  T* memory;
};

/// Calls `use` with each head of each sentence, on several threads; `elements(view)` is the memory that it needs.
template <typename T, typename Factor, typename Elements, typename Use>
void for_each_head(const Attention& arguments, const Factor* qkv, const T* bias, const T* relative_bias,
                   const Elements& elements, const Use& use) {
  const PackedShape& shape = arguments.shape;
#pragma omp parallel
  {
    Scratch<T> scratch;
#pragma omp for schedule(dynamic, 4)
    for (std::int64_t s = 0; s < shape.sentences; ++s) {
      for (std::int64_t head = 0; head < arguments.heads; ++head) {
        HeadView<T> view = view_of<T>(arguments, s, head);
        const std::int64_t own = elements(view), offsets = relative_bias ? RelativeBias<T>::memory(view) : 0;
        T* memory = scratch.of_size(own + view.memory() + offsets);
        load_head(arguments, qkv + shape.offsets[s] * 3 * arguments.hidden, bias, memory + own, view);
        use(HeadInMemory<T>{view,
                            {relative_bias ? relative_bias + head : nullptr, arguments.heads,
                             view.value + view.tokens * view.head_size},
                            s,
                            head,
                            arguments.first_token_only ? s : shape.offsets[s],
                            memory});
      }
    }
  }
}

/// Queries whose scores are in memory at a time, where no mask of dropout and no table of biases is over all of them:
/// long sentences have too many.
constexpr std::int64_t queries_of_block = 256;

template <typename T, typename Factor>
void attention(const KernelContext&, const Attention& arguments, const Factor* qkv, const T* bias,
               const T* relative_bias, Factor* context, T* /*statistics*/) {
  const auto queries_at_once = [=, &arguments](const HeadView<T>& view) {
    const bool is_whole = arguments.dropout.active() || relative_bias || view.queries < queries_of_block;
    return is_whole ? view.queries : queries_of_block;
  };
  const auto elements = [=](const HeadView<T>& view) {
    return view.head_size * view.padded + queries_at_once(view) * (view.padded + view.head_size);
  };
  for_each_head(arguments, qkv, bias, relative_bias, elements, [=, &arguments](const HeadInMemory<T>& of) {
    const std::int64_t most = queries_at_once(of.view);
    T* probabilities = of.memory + of.view.head_size * of.view.padded;
    T* head_context = probabilities + most * of.view.padded;
    for (std::int64_t first = 0; first < of.view.queries; first += most) {
      const std::int64_t count = of.view.queries - first < most ? of.view.queries - first : most;
      const KeyRange keys = keys_near(first, count, of.view.tokens, arguments.farthest);
      const HeadView<T> view = of.view.part(first, count, keys);
      attend(arguments, view, of.relative, first - keys.begin, of.memory, probabilities);
      drop(arguments, view, of.sentence, of.head, probabilities);
      small_product(view.over_tokens(probabilities), view.queries, view.tokens, view.value, view.head_size,
                    view.head_size, head_context, view.head_size);
      store_rows(head_context, view.queries, view.head_size,
                 context + (of.first_row + first) * arguments.hidden + view.column, arguments.hidden);
    }
  });
}

template <typename T, typename Factor>
void attention_backward(const KernelContext&, const Attention& arguments, const Factor* qkv, const T* bias,
                        const T* relative_bias, const Factor* /*context*/, const T* /*statistics*/,
                        const Factor* grad_context, Factor* grad_qkv, T* grad_relative_bias) {
  const auto elements = [](const HeadView<T>& view) {
    return view.head_size * (view.padded + view.queries + view.tokens) + 3 * view.queries * view.padded;
  };
  for_each_head(arguments, qkv, bias, relative_bias, elements, [=, &arguments](const HeadInMemory<T>& of) {
    const HeadView<T>& view = of.view;
    const std::int64_t matrix = view.queries * view.padded, stride = 3 * arguments.hidden;
    T* transposed = of.memory;
    T* probabilities = transposed + view.head_size * view.padded;
    T* dropped = probabilities + matrix;
    T* grad_scores = dropped + matrix;
    T* grad = grad_scores + matrix;
    T* product = grad + view.queries * view.head_size;
    load_rows(grad_context + of.first_row * arguments.hidden + view.column, arguments.hidden,
              static_cast<const T*>(nullptr), view.queries, view.head_size, grad);
    attend(arguments, view, of.relative, 0, transposed, probabilities);
    multiply_by_transposed(view, view.rows(grad), view.value, transposed, grad_scores);
    std::memcpy(dropped, probabilities, sizeof(T) * static_cast<std::size_t>(matrix));
    drop(arguments, view, of.sentence, of.head, dropped, grad_scores);
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

    if (relative_bias)
      add_relative_gradient(view, of.relative, scale, grad_scores,
                            grad_relative_bias + of.sentence * relative_position_buckets * arguments.heads + of.head);

    Factor* grad_query = grad_qkv + arguments.shape.offsets[of.sentence] * stride + view.column;
    // The gradient of queries, keys or values is a product of `a` with rows `b`.
    const auto multiply_into = [&](std::int64_t part, std::int64_t rows, const StridedFactor<T>& a, std::int64_t inner,
                                   const T* b) {
      small_product(a, rows, inner, b, view.head_size, view.head_size, product, view.head_size);
      store_rows(product, rows, view.head_size, grad_query + part * arguments.hidden, stride);
    };
    multiply_into(0, view.queries, view.over_tokens(grad_scores), view.tokens, view.key);
    for (std::int64_t i = view.queries; i < view.tokens; ++i)
      std::memset(grad_query + i * stride, 0, sizeof(Factor) * static_cast<std::size_t>(view.head_size));
    multiply_into(1, view.tokens, view.over_queries(grad_scores), view.queries, view.query);
    multiply_into(2, view.tokens, view.over_queries(dropped), view.queries, grad);
  });
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
