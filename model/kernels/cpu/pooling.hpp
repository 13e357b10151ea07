#pragma once

#include "model/kernels/cpu/vector.hpp"
#include "model/kernels/kernels.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Calls `visit(sentence, first, end)` with the tokens of each sentence, on several threads.
template <typename Visit>
void for_each_sentence(const PackedShape& shape, const Visit& visit) {
#pragma omp parallel for schedule(dynamic, 16)
  for (std::int64_t s = 0; s < shape.sentences; ++s) visit(s, shape.offsets[s], shape.offsets[s + 1]);
}

template <typename T>
void clear(T* row, std::int64_t width) {
  std::memset(row, 0, sizeof(T) * static_cast<std::size_t>(width));
}

template <typename T>
void mean_of_tokens(const KernelContext&, const T* x, const PackedShape& shape, std::int64_t left_out,
                    std::int64_t width, T* out) {
  for_each_sentence(shape, [=](std::int64_t sentence, std::int64_t first, std::int64_t end) {
    T* mean = out + sentence * width;
    clear(mean, width);
    const std::int64_t count = end - first - left_out;
    if (count <= 0) return;
    for (std::int64_t t = first + left_out; t < end; ++t) {
      const T* row = x + t * width;
#pragma omp simd
      for (std::int64_t c = 0; c < width; ++c) mean[c] += row[c];
    }
    const T divisor = static_cast<T>(count);
#pragma omp simd
    for (std::int64_t c = 0; c < width; ++c) mean[c] /= divisor;
  });
}

template <typename T>
void mean_of_tokens_backward(const KernelContext&, const T* grad, const PackedShape& shape, std::int64_t left_out,
                             std::int64_t width, T* grad_x) {
  for_each_sentence(shape, [=](std::int64_t sentence, std::int64_t first, std::int64_t end) {
    const T* of_mean = grad + sentence * width;
    const T divisor = static_cast<T>(end - first - left_out);
    for (std::int64_t t = first; t < end; ++t) {
      T* row = grad_x + t * width;
      if (t < first + left_out) {
        clear(row, width);
        continue;
      }
#pragma omp simd
      for (std::int64_t c = 0; c < width; ++c) row[c] = of_mean[c] / divisor;
    }
  });
}

template <typename T>
void max_of_tokens(const KernelContext&, const T* x, const PackedShape& shape, std::int64_t width, T* out,
                   std::int32_t* token) {
  for_each_sentence(shape, [=](std::int64_t sentence, std::int64_t first, std::int64_t end) {
    T* maximum = out + sentence * width;
    std::int32_t* of_maximum = token + sentence * width;
    if (first == end) {
      clear(maximum, width);
      for (std::int64_t c = 0; c < width; ++c) of_maximum[c] = -1;
      return;
    }
    for (std::int64_t c = 0; c < width; ++c) {
      maximum[c] = x[first * width + c];
      of_maximum[c] = static_cast<std::int32_t>(first);
    }
    for (std::int64_t t = first + 1; t < end; ++t) {
      const T* row = x + t * width;
#pragma omp simd
      for (std::int64_t c = 0; c < width; ++c) {
        // A NaN is taken, and stays: nothing is larger.
        const bool larger = row[c] > maximum[c] || row[c] != row[c];
        maximum[c] = larger ? row[c] : maximum[c];
        of_maximum[c] = larger ? static_cast<std::int32_t>(t) : of_maximum[c];
      }
    }
  });
}

template <typename T>
void max_of_tokens_backward(const KernelContext&, const T* grad, const std::int32_t* token, const PackedShape& shape,
                            std::int64_t width, T* grad_x) {
  for_each_sentence(shape, [=](std::int64_t sentence, std::int64_t first, std::int64_t end) {
    if (first == end) return;
    clear(grad_x + first * width, (end - first) * width);
    for (std::int64_t c = 0; c < width; ++c)
      grad_x[token[sentence * width + c] * width + c] = grad[sentence * width + c];
  });
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
