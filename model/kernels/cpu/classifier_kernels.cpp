#include "model/kernels/classifier_kernels.hpp"

#include <immintrin.h>

#include <type_traits>

#include "model/kernels/cpu/vector.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

namespace {

/// Returns one register. A Vector is several of them on lesser processors, and blocks of sums would not fit in all
/// there are.
#if defined(__AVX512F__)
constexpr std::size_t register_bytes = 64;
#elif defined(__AVX2__)
constexpr std::size_t register_bytes = 32;
#else
constexpr std::size_t register_bytes = 16;
#endif
typedef float Register __attribute__((vector_size(register_bytes)));
constexpr std::int64_t lanes = register_bytes / sizeof(float);

inline Register load_register(const float* from) {
  Register value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

inline Register of_one_value(float value) {
  return value - Register{};
}

/// Returns a * b + sum, rounded once where there is an instruction for it. Not left to the compiler, which may find the
/// sum in one block of columns and not in another: their bits would differ.
inline Register fused(const Register& a, const Register& b, const Register& sum) {
#if defined(__AVX512F__)
  return _mm512_fmadd_ps(a, b, sum);
#elif defined(__FMA__)
  return _mm256_fmadd_ps(a, b, sum);
#else
  return a * b + sum;
#endif
}

/// Halves are added until one float is left.
inline float sum_of_lanes(const Register& value) {
  float of_lanes[lanes];
  std::memcpy(of_lanes, &value, sizeof value);
  for (std::int64_t half = lanes / 2; half > 0; half /= 2)
#pragma omp simd
    for (std::int64_t i = 0; i < half; ++i) of_lanes[i] += of_lanes[i + half];
  return of_lanes[0];
}

/// Rows and columns of which products are summed at once.
constexpr int row_block = 2, column_block = 4;

template <int Rows, int Columns>
inline void product_block(const ChosenRows& x, std::int64_t row, const float* weights, std::int64_t column,
                          float* products) {
  Register sums[Rows][Columns] = {};
  const float* rows[Rows];
  for (int r = 0; r < Rows; ++r) rows[r] = x.matrix + x.rows[row + r] * x.stride;
  weights += column * x.stride;
  for (std::int64_t k = 0; k < x.stride; k += lanes) {
    Register of_rows[Rows];
    for (int r = 0; r < Rows; ++r) of_rows[r] = load_register(rows[r] + k);
    for (int c = 0; c < Columns; ++c) {
      const Register of_column = load_register(weights + c * x.stride + k);
      for (int r = 0; r < Rows; ++r) sums[r][c] = fused(of_rows[r], of_column, sums[r][c]);
    }
  }
  for (int r = 0; r < Rows; ++r)
    for (int c = 0; c < Columns; ++c) products[(column + c) * x.count + row + r] = sum_of_lanes(sums[r][c]);
}

template <int Columns>
void products_of_columns(const ChosenRows& x, const float* weights, std::int64_t column, float* products) {
  // Fewer columns leave registers for more rows.
  constexpr int rows = row_block * column_block / Columns;
  std::int64_t row = 0;
  for (; row + rows <= x.count; row += rows) product_block<rows, Columns>(x, row, weights, column, products);
  for (; row < x.count; ++row) product_block<1, Columns>(x, row, weights, column, products);
}

template <int Columns, int Registers>
inline void sum_block(const ChosenRows& x, std::int64_t k, const float* factors, float* slopes) {
  Register sums[Columns][Registers] = {};
  for (std::int64_t r = 0; r < x.count; ++r) {
    const float* row = x.matrix + x.rows[r] * x.stride + k;
    Register parts[Registers];
    for (int i = 0; i < Registers; ++i) parts[i] = load_register(row + i * lanes);
    for (int c = 0; c < Columns; ++c) {
      const Register factor = of_one_value(factors[c * x.count + r]);
      for (int i = 0; i < Registers; ++i) sums[c][i] = fused(factor, parts[i], sums[c][i]);
    }
  }
  for (int c = 0; c < Columns; ++c) std::memcpy(slopes + c * x.stride + k, sums[c], sizeof sums[c]);
}

template <int Columns>
void sums_of_columns(const ChosenRows& x, const float* factors, float* slopes) {
  constexpr int registers = row_block * column_block / Columns;
  std::int64_t k = 0;
  for (; k + registers * lanes <= x.stride; k += registers * lanes)
    sum_block<Columns, registers>(x, k, factors, slopes);
  for (; k < x.stride; k += lanes) sum_block<Columns, 1>(x, k, factors, slopes);
}

/// Calls block(count, first) for four columns at a time, then for those that are left; `count` is a constant.
template <typename Block>
void for_each_column_block(std::int64_t columns, const Block& block) {
  std::int64_t column = 0;
  for (; column + 4 <= columns; column += 4) block(std::integral_constant<int, 4>(), column);
  if (columns - column == 3) block(std::integral_constant<int, 3>(), column);
  if (columns - column == 2) block(std::integral_constant<int, 2>(), column);
  if (columns - column == 1) block(std::integral_constant<int, 1>(), column);
}

void products(const ChosenRows& x, const float* weights, std::int64_t columns, float* out) {
  for_each_column_block(columns,
                        [&](auto count, std::int64_t column) { products_of_columns<count>(x, weights, column, out); });
}

void weighted_sums(const ChosenRows& x, const float* factors, std::int64_t columns, float* slopes) {
  for_each_column_block(columns, [&](auto count, std::int64_t column) {
    sums_of_columns<count>(x, factors + column * x.count, slopes + column * x.stride);
  });
}

void softmax_slopes(float* logits, const std::uint32_t* labels, std::int64_t classes, std::int64_t count) {
  const float share = 1.0f / static_cast<float>(count);
#pragma omp simd
  for (std::int64_t r = 0; r < count; ++r) {
    float largest = logits[r];
    for (std::int64_t c = 1; c < classes; ++c) {
      const float logit = logits[c * count + r];
      largest = logit > largest ? logit : largest;
    }
    float sum = 0;
    for (std::int64_t c = 0; c < classes; ++c) {
      const float power = exponential(logits[c * count + r] - largest);
      logits[c * count + r] = power;
      sum += power;
    }
    for (std::int64_t c = 0; c < classes; ++c) {
      const float target = static_cast<std::int64_t>(labels[r]) == c ? 1.0f : 0.0f;
      logits[c * count + r] = (logits[c * count + r] / sum - target) * share;
    }
  }
}

void sigmoid_slopes(float* differences, const std::uint32_t* labels, std::int64_t count) {
  const float share = 1.0f / static_cast<float>(count);
#pragma omp simd
  for (std::int64_t r = 0; r < count; ++r)
    differences[r] = (1.0f / (1.0f + exponential(-differences[r])) - static_cast<float>(labels[r])) * share;
}

void adam(const ClassifierUpdate& update, std::int64_t step) {
  constexpr double learning_rate = 1e-3, beta1 = 0.9, beta2 = 0.999;
  const auto power = static_cast<double>(step);
  const float size = static_cast<float>(learning_rate / (1 - std::pow(beta1, power)));
  const float correction = static_cast<float>(1 / std::sqrt(1 - std::pow(beta2, power)));
  constexpr auto rest1 = static_cast<float>(1 - beta1), keep2 = static_cast<float>(beta2),
                 rest2 = static_cast<float>(1 - beta2), epsilon = 1e-8f;
  float *const weights = update.weights, *const moment1 = update.moment1, *const moment2 = update.moment2;
  const float *const slope = update.slope, sign = update.sign, decay = update.decay;
#pragma omp simd
  for (std::int64_t i = 0; i < update.count; ++i) {
    const float gradient = sign * slope[i] + decay * weights[i];
    const float first = moment1[i] + rest1 * (gradient - moment1[i]);
    const float second = keep2 * moment2[i] + rest2 * gradient * gradient;
    moment1[i] = first;
    moment2[i] = second;
    weights[i] -= size * first / (std::sqrt(second) * correction + epsilon);
  }
}

void rmsprop(const ClassifierUpdate& update) {
  constexpr float learning_rate = 1e-2f, keep = 0.99f, rest = static_cast<float>(1 - 0.99), epsilon = 1e-8f;
  float *const weights = update.weights, *const moment2 = update.moment2;
  const float *const slope = update.slope, sign = update.sign, decay = update.decay;
#pragma omp simd
  for (std::int64_t i = 0; i < update.count; ++i) {
    const float gradient = sign * slope[i] + decay * weights[i];
    const float second = keep * moment2[i] + rest * gradient * gradient;
    moment2[i] = second;
    weights[i] -= learning_rate * gradient / (std::sqrt(second) + epsilon);
  }
}

}  // namespace

template <>
const ClassifierKernels& table() {
  static constexpr ClassifierKernels kernels{products, weighted_sums, softmax_slopes, sigmoid_slopes, adam, rmsprop};
  return kernels;
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
