#include "model/kernels/cpu/declarations.hpp"
#include "model/kernels/cpu/rounding.hpp"
#include "model/kernels/cpu/sum_over_rows.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

namespace {

struct GeluFloat {
  static float value(float x) { return gelu(x); }
  static float derivative(float x) {
    const NormalDistribution normal = normal_distribution(x);
    return normal.distribution + x * 0.39894228f * normal.gaussian;
  }
};

struct GeluDouble {
  static double distribution(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752440); }
  static double value(double x) { return x * distribution(x); }
  static double derivative(double x) { return distribution(x) + x * 0.39894228040143267794 * std::exp(-0.5 * x * x); }
};

template <typename T>
struct GeluOf;
template <>
struct GeluOf<float> : GeluFloat {};
template <>
struct GeluOf<double> : GeluDouble {};

}  // namespace

template <typename T, typename Factor>
void bias_gelu(const Factor* x, const T* bias, std::int64_t rows, std::int64_t width, Factor* out) {
#pragma omp parallel for schedule(static)
  for (std::int64_t r = 0; r < rows; ++r) {
    const Factor* x_row = x + r * width;
    Factor* out_row = out + r * width;
#pragma omp simd
    for (std::int64_t c = 0; c < width; ++c) put(GeluOf<T>::value(value_of(x_row[c]) + bias[c]), out_row[c]);
  }
}

template <typename T, typename Factor>
void gelu_backward(Factor* grad, const Factor* x, const T* bias, RowShards rows, std::int64_t width, T* grad_bias,
                   Factor* activation) {
  Scratch<T> scratch;
  const T* sums = sum_over_rows(rows, width, scratch, [=](std::int64_t r, T* part) {
    Factor* grad_row = grad + r * width;
    const Factor* x_row = x + r * width;
    Factor* activation_row = activation + r * width;
#pragma omp simd
    for (std::int64_t c = 0; c < width; ++c) {
      const T value = value_of(x_row[c]) + bias[c];
      const T gradient = value_of(grad_row[c]) * GeluOf<T>::derivative(value);
      put(GeluOf<T>::value(value), activation_row[c]);
      put(gradient, grad_row[c]);
      part[c] += gradient;
    }
  });
  add_to(sums, width, grad_bias);
}

template <typename T>
void embed(const T* word, const T* position, const T* token_type, const std::uint32_t* ids,
           const std::uint32_t* positions, std::int64_t rows, std::int64_t hidden, T* out) {
#pragma omp parallel for schedule(static)
  for (std::int64_t r = 0; r < rows; ++r) {
    const T* word_row = word + ids[r] * hidden;
    const T* position_row = position + positions[r] * hidden;
    T* out_row = out + r * hidden;
#pragma omp simd
    for (std::int64_t c = 0; c < hidden; ++c) out_row[c] = word_row[c] + position_row[c] + token_type[c];
  }
}

template <typename T>
void round_to_bfloat16(const T* x, std::int64_t count, T* out) {
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < count; ++i) out[i] = static_cast<T>(nearest_bfloat16(static_cast<float>(x[i])));
}

template <typename T>
void adamw(T* value, const T* gradient, T* moment1, T* moment2, std::int64_t count, double learning_rate,
           double weight_decay, double beta1, double beta2, double epsilon, double correction1, double correction2,
           double gradient_scale) {
  const T keep = static_cast<T>(1.0 - learning_rate * weight_decay);
  const T b1 = static_cast<T>(beta1), b2 = static_cast<T>(beta2);
  const T rest1 = static_cast<T>(1.0 - beta1), rest2 = static_cast<T>(1.0 - beta2);
  const T step = static_cast<T>(learning_rate / correction1);
  const T root_correction = static_cast<T>(1.0 / std::sqrt(correction2));
  const T eps = static_cast<T>(epsilon), scale = static_cast<T>(gradient_scale);
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < count; ++i) {
    const T g = gradient[i] * scale;
    const T m = b1 * moment1[i] + rest1 * g;
    const T v = b2 * moment2[i] + rest2 * g * g;
    moment1[i] = m;
    moment2[i] = v;
    value[i] = value[i] * keep - step * m / (std::sqrt(v) * root_correction + eps);
  }
}

template <typename T>
double sum_of_squares(const T* x, std::int64_t count) {
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
  return total;
}

#define INSTANTIATE_FACTORS(T, Factor)                                                              \
  template void bias_gelu<T, Factor>(const Factor*, const T*, std::int64_t, std::int64_t, Factor*); \
  template void gelu_backward<T, Factor>(Factor*, const Factor*, const T*, RowShards, std::int64_t, T*, Factor*);
INSTANTIATE_FACTORS(float, float)
INSTANTIATE_FACTORS(double, double)
INSTANTIATE_FACTORS(float, Bfloat16)

#define INSTANTIATE(T)                                                                                               \
  template void embed<T>(const T*, const T*, const T*, const std::uint32_t*, const std::uint32_t*, std::int64_t,     \
                         std::int64_t, T*);                                                                          \
  template void round_to_bfloat16<T>(const T*, std::int64_t, T*);                                                    \
  template void adamw<T>(T*, const T*, T*, T*, std::int64_t, double, double, double, double, double, double, double, \
                         double);                                                                                    \
  template double sum_of_squares<T>(const T*, std::int64_t);
INSTANTIATE(float)
INSTANTIATE(double)

}  // namespace gausscse::kernels::GAUSSCSE_ISA
