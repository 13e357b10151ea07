#pragma once

#include "model/kernels/cpu/attention_head.hpp"
#include "model/kernels/relative_position.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// One head's biases by relative position, or null, and where they lie by distance: `by_offset`[o] is that of the key
/// o - (queries - 1) behind the query, or its gradient.
template <typename T>
struct RelativeBias {
  const T* of_head;  ///< [buckets, heads], from this head's column on
  std::int64_t heads;
  T* by_offset;

  static std::int64_t memory(const HeadView<T>& view) { return view.queries + view.tokens; }
  static int bucket(const HeadView<T>& view, std::int64_t o) {
    return relative_position_bucket(static_cast<int>(o - (view.queries - 1)));
  }
  /// Returns the bias of query i and key 0; those of the next keys follow.
  T* of_query(const HeadView<T>& view, std::int64_t i) const { return by_offset + view.queries - 1 - i; }
};

/// Adds the biases to scores that are still to be multiplied by `scale`.
template <typename T>
void add_relative_bias(const HeadView<T>& view, const RelativeBias<T>& bias, T scale, T* scores) {
  for (std::int64_t o = 0; o < view.queries + view.tokens - 1; ++o)
    bias.by_offset[o] = bias.of_head[bias.bucket(view, o) * bias.heads] / scale;
  for (std::int64_t i = 0; i < view.queries; ++i) {
    const T* of_keys = bias.of_query(view, i);
    T* row = scores + i * view.padded;
#pragma omp simd
    for (std::int64_t j = 0; j < view.tokens; ++j) row[j] += of_keys[j];
  }
}

/// Adds the gradient by a head's biases to `grad` [buckets, heads], from this head's column on, given that by the
/// scores before `scale`.
template <typename T>
void add_relative_gradient(const HeadView<T>& view, const RelativeBias<T>& bias, T scale, const T* grad_scores,
                           T* grad) {
  std::memset(bias.by_offset, 0, sizeof(T) * static_cast<std::size_t>(bias.memory(view)));
  for (std::int64_t i = 0; i < view.queries; ++i) {
    T* of_keys = bias.of_query(view, i);
    const T* row = grad_scores + i * view.padded;
#pragma omp simd
    for (std::int64_t j = 0; j < view.tokens; ++j) of_keys[j] += row[j];
  }
  for (std::int64_t o = 0; o < view.queries + view.tokens - 1; ++o)
    grad[bias.bucket(view, o) * bias.heads] += bias.by_offset[o] / scale;
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
