#pragma once

#include <cmath>

#include "model/kernels/kernels.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

template <typename T>
bool all_zero(const T* x, std::int64_t count) {
  bool other = false;
#pragma omp simd reduction(| : other)
  for (std::int64_t i = 0; i < count; ++i) other |= x[i] != 0;
  return !other;
}

/// Numbers that all values of a step share.
template <typename T>
struct StepNumbers {
  T beta1, beta2, rest1, rest2, step, root_correction, epsilon, scale;
};

/// Makes a step of values `first` to `end` - 1, which keep this part of themselves.
template <typename T>
void step_values(const AdamWValues<T>& values, std::int64_t first, std::int64_t end, T keep, StepNumbers<T> numbers) {
  T* const value = values.value;
  const T* const gradient = values.gradient;
  T* const moment1 = values.moment1;
  T* const moment2 = values.moment2;
#pragma omp simd
  for (std::int64_t i = first; i < end; ++i) {
    const T g = gradient[i] * numbers.scale;
    const T m = numbers.beta1 * moment1[i] + numbers.rest1 * g;
    const T v = numbers.beta2 * moment2[i] + numbers.rest2 * g * g;
    moment1[i] = m;
    moment2[i] = v;
    value[i] = value[i] * keep - numbers.step * m / (std::sqrt(v) * numbers.root_correction + numbers.epsilon);
  }
}

/// Decays values whose moments and gradients are all 0.
template <typename T>
void decay_values(T* value, std::int64_t first, std::int64_t end, T keep) {
  if (keep == 1) return;
#pragma omp simd
  for (std::int64_t i = first; i < end; ++i) value[i] *= keep;
}

template <typename T>
void adamw(const KernelContext&, const AdamWValues<T>& values, const AdamWStep& how) {
  const double norm = how.clip_norm > 0 ? std::sqrt(*how.squared_norm) : 0.0;
  const StepNumbers<T> numbers{.beta1 = static_cast<T>(how.beta1),
                               .beta2 = static_cast<T>(how.beta2),
                               .rest1 = static_cast<T>(1.0 - how.beta1),
                               .rest2 = static_cast<T>(1.0 - how.beta2),
                               .step = static_cast<T>(how.learning_rate / how.correction1),
                               .root_correction = static_cast<T>(1.0 / std::sqrt(how.correction2)),
                               .epsilon = static_cast<T>(how.epsilon),
                               .scale = static_cast<T>(norm > how.clip_norm ? how.clip_norm / norm : 1.0)};
  const T keep_of_decaying = static_cast<T>(1.0 - how.learning_rate * how.weight_decay);
  const DecayingRuns& runs = values.decaying;
  const std::int64_t blocks = (values.count + adamw_block - 1) / adamw_block;
#pragma omp parallel for schedule(static)
  for (std::int64_t block = 0; block < blocks; ++block) {
    const std::int64_t begin = block * adamw_block;
    const std::int64_t count = values.count - begin < adamw_block ? values.count - begin : adamw_block;
    bool& at_rest = values.at_rest[block];
    at_rest = at_rest && all_zero(values.gradient + begin, count);
    // Parts of the block of which all values decay or none.
    std::int64_t first = begin;
    for (std::int64_t bound = bounds_up_to(runs, begin); first < begin + count; ++bound) {
      const bool is_inside = bound < 2 * runs.count && runs.bounds[bound] < begin + count;
      const std::int64_t end = is_inside ? runs.bounds[bound] : begin + count;
      const T keep = bound % 2 == 1 ? keep_of_decaying : T{1};
      if (at_rest)
        decay_values(values.value, first, end, keep);
      else
        step_values(values, first, end, keep, numbers);
      first = end;
    }
  }
}

template <typename T>
void sum_of_squares(const KernelContext&, const T* x, std::int64_t count, double* sum_of_all) {
  // Fixed blocks, added in order: the same bits for any number of threads.
  constexpr std::int64_t block = 1 << 16;
  const std::int64_t blocks = (count + block - 1) / block;
  double* partial = new double[static_cast<std::size_t>(blocks > 0 ? blocks : 1)]{};
#pragma omp parallel for schedule(static)
  for (std::int64_t b = 0; b < blocks; ++b) {
    const std::int64_t begin = b * block, end = count - begin < block ? count : begin + block;
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = begin; i < end; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    partial[b] = sum;
  }
  double total = 0;
  for (std::int64_t b = 0; b < blocks; ++b) total += partial[b];
  delete[] partial;
  *sum_of_all = total;
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
