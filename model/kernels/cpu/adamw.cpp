#include <cmath>

#include "model/kernels/cpu/declarations.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

namespace {

template <typename T>
bool all_zero(const T* x, std::int64_t count) {
  bool other = false;
#pragma omp simd reduction(| : other)
  for (std::int64_t i = 0; i < count; ++i) other |= x[i] != 0;
  return !other;
}

}  // namespace

template <typename T>
void adamw(const AdamWValues<T>& values, const AdamWStep& how) {
  const T keep = static_cast<T>(1.0 - how.learning_rate * how.weight_decay);
  const T b1 = static_cast<T>(how.beta1), b2 = static_cast<T>(how.beta2);
  const T rest1 = static_cast<T>(1.0 - how.beta1), rest2 = static_cast<T>(1.0 - how.beta2);
  const T step = static_cast<T>(how.learning_rate / how.correction1);
  const T root_correction = static_cast<T>(1.0 / std::sqrt(how.correction2));
  const double norm = how.clip_norm > 0 ? std::sqrt(*how.squared_norm) : 0.0;
  const T eps = static_cast<T>(how.epsilon), scale = static_cast<T>(norm > how.clip_norm ? how.clip_norm / norm : 1.0);
  const std::int64_t blocks = (values.count + adamw_block - 1) / adamw_block;
#pragma omp parallel for schedule(static)
  for (std::int64_t block = 0; block < blocks; ++block) {
    const std::int64_t begin = block * adamw_block;
    const std::int64_t count = values.count - begin < adamw_block ? values.count - begin : adamw_block;
    T* const value = values.value + begin;
    const T* const gradient = values.gradient + begin;
    bool& at_rest = values.at_rest[block];
    at_rest = at_rest && all_zero(gradient, count);
    if (at_rest) {
      if (keep == 1) continue;
#pragma omp simd
      for (std::int64_t i = 0; i < count; ++i) value[i] *= keep;
      continue;
    }
    T* const moment1 = values.moment1 + begin;
    T* const moment2 = values.moment2 + begin;
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) {
      const T g = gradient[i] * scale;
      const T m = b1 * moment1[i] + rest1 * g;
      const T v = b2 * moment2[i] + rest2 * g * g;
      moment1[i] = m;
      moment2[i] = v;
      value[i] = value[i] * keep - step * m / (std::sqrt(v) * root_correction + eps);
    }
  }
}

template <typename T>
void sum_of_squares(const T* x, std::int64_t count, double* sum_of_all) {
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

#define INSTANTIATE(T)                                             \
  template void adamw<T>(const AdamWValues<T>&, const AdamWStep&); \
  template void sum_of_squares<T>(const T*, std::int64_t, double*);
INSTANTIATE(float)
INSTANTIATE(double)

}  // namespace gausscse::kernels::GAUSSCSE_ISA
