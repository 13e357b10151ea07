#include "model/kernels/int8_kernels.hpp"

#include <cmath>

#include "model/kernels/cpu/int8_attention.hpp"
#include "model/kernels/cpu/int8_rows.hpp"
#include "model/kernels/cpu/rotate.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

namespace {

float quantise_channel(const float* weights, const float* factors, std::int64_t depth, std::int8_t* out) {
  const auto weight = [=](std::int64_t k) { return factors ? weights[k] / factors[k] : weights[k]; };
  float most = 0.0f, not_finite = 0.0f;
#pragma omp simd reduction(max : most) reduction(+ : not_finite)
  for (std::int64_t k = 0; k < depth; ++k) {
    const float value = weight(k), absolute = value < 0.0f ? -value : value;
    most = absolute > most ? absolute : most;
    not_finite += value * 0.0f;
  }
  const float scale = most / 127.0f, inverse = scale > 0.0f ? 1.0f / scale : 0.0f;
#pragma omp simd
  for (std::int64_t k = 0; k < depth; ++k)
    out[k] = static_cast<std::int8_t>(nearest_in(weight(k) * inverse, -127.0f, 127.0f));
  return scale + not_finite;
}

void normalize(float* x, std::int64_t rows, std::int64_t columns, const NormToBytes& norm) {
  for (std::int64_t r = 0; r < rows; ++r) {
    float* const row = x + r * columns;
    Floats totals{}, squares{};
    for_each_register<float>(columns, [&](std::int64_t c, auto count) { totals += load_some(row + c, count); });
    const float mean = horizontal_sum<float>(totals) / static_cast<float>(columns);
    for_each_register<float>(columns, [&](std::int64_t c, auto count) {
      Floats centred{};
      store_some(reinterpret_cast<float*>(&centred), load_some(row + c, count) - mean, count);
      squares += centred * centred;
    });
    const float inverse = 1.0f / std::sqrt(horizontal_sum<float>(squares) / static_cast<float>(columns) + norm.epsilon);
    Range range;
    const auto value_at = [=, &norm](std::int64_t c, auto count) {
      return (load_some(row + c, count) - mean) * inverse * load_some(norm.gamma + c, count) +
             load_some(norm.beta + c, count);
    };
    const auto scaled_at = [=, &norm](std::int64_t c, auto count) {
      const Floats value = norm.keeps_input ? value_at(c, count) : load_some(row + c, count);
      return value * load_some(norm.factors + c, count);
    };
    for_each_register<float>(columns, [&](std::int64_t c, auto count) {
      if (!norm.keeps_input) store_some(row + c, value_at(c, count), count);
      range.accumulate(scaled_at(c, count));
    });
    quantise_row(columns, range, r, norm.bytes, scaled_at);
  }
}

void rotate_floats(float* x, const RotatedColumns& columns, const float* angles, const std::uint32_t* positions) {
  for (std::int64_t r = 0; r < columns.rows; ++r)
    rotate_row(x + r * columns.stride + columns.first, columns, angles + positions[r] * columns.head_size, 1.0f);
}

constexpr Int8Kernels kernels_of_bytes{.multiplier = multiplier,
                                       .quantise_channel = quantise_channel,
                                       .quantise = quantise,
                                       .linear = linear,
                                       .add_linear = add_linear,
                                       .gelu_linear = gelu_linear,
                                       .gate_linear = gate_linear,
                                       .rotate = rotate_floats,
                                       .normalize = normalize,
                                       .attention = attention_for_bytes};

}  // namespace

template <>
const Int8Kernels& table() {
  return kernels_of_bytes;
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
