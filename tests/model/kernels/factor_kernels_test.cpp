#include <bit>
#include <complex>

#include "base/philox.hpp"
#include "model/kernels/block_layouts.hpp"
#include "model/kernels/kernels.hpp"
#include "tests/support/testing.hpp"

namespace gausscse::kernels {
namespace {

using Floats = std::vector<float>;
using Factors = std::vector<Bfloat16>;

constexpr std::int64_t rows = 9, hidden = 40, heads = 2;
constexpr std::int32_t offsets[] = {0, 4, 5, 9};
constexpr std::uint32_t samples[] = {7, 8, 9};
constexpr std::int64_t shard_offsets[] = {0, 5, 9};
const RowShards shards{shard_offsets, 2};

float value_of(Bfloat16 x) {
  return std::bit_cast<float>(std::uint32_t{x.bits} << 16);
}

/// Returns the nearer of the two bfloat16 numbers around `x`, the even one of two that are as near.
Bfloat16 nearest(float x) {
  const Bfloat16 inner{static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x) >> 16)};
  const Bfloat16 outer{static_cast<std::uint16_t>(inner.bits + 1)};
  const double to_inner = std::abs(double{x} - double{value_of(inner)});
  const double to_outer = std::abs(double{value_of(outer)} - double{x});
  if (to_inner != to_outer) return to_inner < to_outer ? inner : outer;
  return inner.bits % 2 == 0 ? inner : outer;
}

Factors factors(const Floats& values) {
  Factors out;
  for (const float value : values) out.push_back(nearest(value));
  return out;
}

/// Numbers from -1 to 1 that a bfloat16 holds.
Floats random_values(std::int64_t count, std::uint64_t seed) {
  PhiloxStream stream(seed, 3);
  Floats out;
  for (std::int64_t i = 0; i < count; ++i)
    out.push_back(value_of(nearest(static_cast<float>(2 * stream.uniform() - 1))));
  return out;
}

void expect_near(const Floats& here, const Floats& expected, double bound) {
  ASSERT_EQ(here.size(), expected.size());
  for (std::size_t i = 0; i < here.size(); ++i) ASSERT_NEAR(here[i], expected[i], bound) << i;
}

/// Bfloat16 that are those of `expected` up to the last bit of a float32 before they were rounded.
void expect_rounded(const Factors& here, const Floats& expected) {
  ASSERT_EQ(here.size(), expected.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    const double spacing = expected[i] == 0 ? 0 : std::ldexp(1.0, std::ilogb(expected[i]) - 7);
    ASSERT_NEAR(value_of(here[i]), expected[i], 0.5 * spacing + 1e-6) << i;
  }
}

const Kernels<float>& wide() {
  return kernel_table<float>();
}
const Kernels<float, Bfloat16>& narrow() {
  return kernel_table<float, Bfloat16>();
}

TEST(FactorKernels, RoundToTheNearestTiesToEven) {
  // bias_gelu of a large number is that number; its bias takes it between two of bfloat16. Whole vectors and a part.
  const Floats some{
      0.25f, 0.5f, 0.75f, 1.5f, 2.5f, std::bit_cast<float>(0xFFFFFFFFu), std::bit_cast<float>(0x7FFFFFFFu)};
  const Floats expected{128, 128, 129, 130, 130};
  Floats x, bias;
  for (int i = 0; i < 35; ++i) {
    x.push_back(128.0f);
    bias.push_back(some[static_cast<std::size_t>(i % 7)]);
  }
  Factors out(x.size());
  narrow().bias_gelu(on_cpu, factors(x).data(), bias.data(), 1, 35, out.data());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (i % 7 < 5)
      EXPECT_EQ(value_of(out[i]), expected[i % 7]) << i;
    else
      EXPECT_TRUE(std::isnan(value_of(out[i]))) << i;
  }
}

TEST(FactorKernels, GeluAndItsDerivativeAreNearThoseOfErf) {
  Floats x;
  for (int i = -9 * 4096; i <= 9 * 4096; ++i) x.push_back(static_cast<float>(i) / 4096);
  for (const float value : {1e-30f, 17.0f, 1e6f, 1e38f}) x.insert(x.end(), {value, -value});
  const auto width = static_cast<std::int64_t>(x.size());
  const std::int64_t one_row[] = {0, 1};
  const Floats no_bias(x.size());
  Floats out(x.size()), grad(x.size(), 1.0f), grad_bias(x.size(), 2.0f), activation(x.size());
  wide().bias_gelu(on_cpu, x.data(), no_bias.data(), 1, width, out.data());
  wide().gelu_backward(on_cpu, grad.data(), x.data(), no_bias.data(), {one_row, 1}, width, grad_bias.data(),
                       activation.data());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double value = double{x[i]}, distribution = 0.5 * std::erfc(-value / std::sqrt(2.0));
    const double density = std::exp(-0.5 * value * value) / std::sqrt(2 * std::acos(-1.0));
    ASSERT_NEAR(out[i], value * distribution, 3e-7 * std::max(1.0, std::abs(value))) << value;
    // Nothing is left of it far below 0.
    if (value < 0) {
      ASSERT_NEAR(out[i], value * distribution, 1.5e-6) << value;
    }
    ASSERT_NEAR(grad[i], distribution + value * density, 1e-6) << value;
    ASSERT_NEAR(grad_bias[i], 2 + grad[i], 1e-6) << value;
    ASSERT_EQ(activation[i], out[i]) << value;
  }

  Floats nan(1, std::numeric_limits<float>::quiet_NaN());
  for (const float sign : {1.0f, -1.0f}) {
    const float value = std::copysign(nan[0], sign);
    Floats of_nan(1), grad_of_nan(1, 1.0f), sum(1);
    wide().bias_gelu(on_cpu, &value, no_bias.data(), 1, 1, of_nan.data());
    EXPECT_TRUE(std::isnan(of_nan[0]));
    wide().gelu_backward(on_cpu, grad_of_nan.data(), &value, no_bias.data(), {one_row, 1}, 1, sum.data(),
                         of_nan.data());
    EXPECT_TRUE(std::isnan(grad_of_nan[0]));
  }
}

TEST(FactorKernels, BlocksAreRoundedAndActivatedLikeRows) {
  constexpr std::int64_t block_rows = 3, stride = 70;
  const Floats block = random_values(block_rows * block_size, 1), bias = random_values(block_size, 2);
  for (const std::int64_t columns : {block_size, std::int64_t{37}}) {
    Factors rounded(block_rows * stride, Bfloat16{9}), product = rounded, activation = rounded;
    block_layouts().round_block(block.data(), bias.data(), block_rows, columns, rounded.data(), stride);
    block_layouts().gelu_block(block.data(), bias.data(), block_rows, columns, product.data(), activation.data(),
                               stride);
    for (std::int64_t r = 0; r < block_rows; ++r) {
      const auto place = static_cast<std::size_t>(r * stride);
      Factors expected(static_cast<std::size_t>(columns));
      narrow().bias_gelu(on_cpu, product.data() + place, bias.data(), 1, columns, expected.data());
      for (std::int64_t c = 0; c < stride; ++c) {
        const std::size_t i = place + static_cast<std::size_t>(c);
        if (c >= columns) {
          EXPECT_EQ(rounded[i].bits, 9) << "written behind the row";
          EXPECT_EQ(product[i].bits, 9) << "written behind the row";
          EXPECT_EQ(activation[i].bits, 9) << "written behind the row";
          continue;
        }
        const float sum = block[static_cast<std::size_t>(r * block_size + c)];
        EXPECT_EQ(rounded[i].bits, nearest(sum + bias[static_cast<std::size_t>(c)]).bits) << r << ' ' << c;
        EXPECT_EQ(product[i].bits, nearest(sum).bits) << r << ' ' << c;
        EXPECT_EQ(activation[i].bits, expected[static_cast<std::size_t>(c)].bits) << r << ' ' << c;
      }
    }
  }
}

TEST(FactorKernels, GeluIsThatOfFloats) {
  const Floats x = random_values(rows * hidden, 1), bias = random_values(hidden, 2);
  Floats expected(x.size());
  wide().bias_gelu(on_cpu, x.data(), bias.data(), rows, hidden, expected.data());
  Factors out(x.size());
  narrow().bias_gelu(on_cpu, factors(x).data(), bias.data(), rows, hidden, out.data());
  expect_rounded(out, expected);

  const Floats grad = random_values(rows * hidden, 3);
  Floats wide_grad = grad, wide_bias(hidden, 0.5f), wide_activation(x.size()), narrow_bias(hidden, 0.5f);
  Factors narrow_grad = factors(grad), narrow_activation(x.size());
  wide().gelu_backward(on_cpu, wide_grad.data(), x.data(), bias.data(), shards, hidden, wide_bias.data(),
                       wide_activation.data());
  narrow().gelu_backward(on_cpu, narrow_grad.data(), factors(x).data(), bias.data(), shards, hidden, narrow_bias.data(),
                         narrow_activation.data());
  expect_rounded(narrow_grad, wide_grad);
  expect_rounded(narrow_activation, expected);
  expect_near(wide_activation, expected, 1e-6);
  expect_near(narrow_bias, wide_bias, 1e-5);
}

TEST(FactorKernels, LayerNormIsThatOfFloats) {
  const Floats x = random_values(rows * hidden, 1), bias = random_values(hidden, 2),
               residual = random_values(rows * hidden, 3);
  const Floats gamma = random_values(hidden, 4), beta = random_values(hidden, 5);
  const std::vector<std::uint32_t> sample(rows, 3), position{0, 1, 2, 3, 4, 5, 6, 7, 8};
  const RowIdentity identity{sample.data(), position.data()};
  const DropoutSite dropout = DropoutSite::of(DropoutStep::of(1, 2), 3, 0.25);
  Floats wide_out(x.size()), narrow_out(x.size()), normalized(x.size()), inverse(rows);
  Factors factor(x.size());
  wide().add_layer_norm(on_cpu, x.data(), bias.data(), residual.data(), gamma.data(), beta.data(), 1e-12, dropout, {},
                        identity, rows, hidden, wide_out.data(), nullptr, nullptr, normalized.data(), inverse.data());
  narrow().add_layer_norm(on_cpu, factors(x).data(), bias.data(), residual.data(), gamma.data(), beta.data(), 1e-12,
                          dropout, {}, identity, rows, hidden, narrow_out.data(), factor.data(), nullptr, nullptr,
                          nullptr);
  expect_near(narrow_out, wide_out, 1e-5);
  expect_rounded(factor, wide_out);

  const Floats grad = random_values(rows * hidden, 6), addend = random_values(rows * hidden, 7);
  Floats wide_grad = grad, narrow_grad = grad, wide_residual(x.size()), narrow_residual(x.size()), wide_x(x.size());
  Factors narrow_x(x.size());
  Floats wide_sums(3 * hidden), narrow_sums(3 * hidden);
  wide().add_layer_norm_backward(on_cpu, wide_grad.data(), addend.data(), false, normalized.data(), inverse.data(),
                                 gamma.data(), dropout, {}, identity, shards, hidden, wide_residual.data(),
                                 wide_x.data(), wide_sums.data(), wide_sums.data() + hidden,
                                 wide_sums.data() + 2 * hidden);
  narrow().add_layer_norm_backward(on_cpu, narrow_grad.data(), factors(addend).data(), false, normalized.data(),
                                   inverse.data(), gamma.data(), dropout, {}, identity, shards, hidden,
                                   narrow_residual.data(), narrow_x.data(), narrow_sums.data(),
                                   narrow_sums.data() + hidden, narrow_sums.data() + 2 * hidden);
  expect_near(narrow_residual, wide_residual, 1e-5);
  expect_rounded(narrow_x, wide_x);
  expect_near(narrow_sums, wide_sums, 1e-4);

  Floats sums(hidden, 1.0f), expected_sums(hidden, 1.0f);
  narrow().add_column_sums(on_cpu, factors(addend).data(), shards, hidden, sums.data());
  for (std::int64_t i = 0; i < rows * hidden; ++i)
    expected_sums[static_cast<std::size_t>(i % hidden)] += addend[static_cast<std::size_t>(i)];
  expect_near(sums, expected_sums, 1e-5);
}

/// Layer norm and its backward by their formulas in float64, for widths of whole vectors and of parts.
TEST(FactorKernels, LayerNormIsThatOfItsFormula) {
  for (const auto& [width, of_sum] : std::initializer_list<std::pair<std::int64_t, bool>>{
           {1, false}, {16, false}, {53, false}, {96, false}, {1, true}, {53, true}, {96, true}}) {
    const Floats x = random_values(rows * width, 1), bias = random_values(width, 2),
                 residual = random_values(rows * width, 3), gamma = random_values(width, 4),
                 beta = random_values(width, 5), grad = random_values(rows * width, 6),
                 addend = random_values(rows * width, 7);
    Floats out(x.size()), factor(x.size()), sum(x.size()), normalized(x.size()), inverse(rows),
        used_grad = grad, grad_residual(x.size()), grad_x(x.size()), sums(static_cast<std::size_t>(3 * width));
    constexpr double epsilon = 1e-3;
    wide().add_layer_norm(on_cpu, x.data(), bias.data(), residual.data(), gamma.data(), beta.data(), epsilon, {}, {},
                          {}, rows, width, out.data(), factor.data(), sum.data(), normalized.data(), inverse.data());
    wide().add_layer_norm_backward(on_cpu, used_grad.data(), addend.data(), of_sum, normalized.data(), inverse.data(),
                                   gamma.data(), {}, {}, {}, shards, width, grad_residual.data(), grad_x.data(),
                                   sums.data(), sums.data() + width, sums.data() + 2 * width);
    // Gradients that are not wanted leave the others as they are.
    used_grad = grad;
    Floats same_residual(x.size()), same_x(x.size()), same_gamma(static_cast<std::size_t>(width));
    wide().add_layer_norm_backward(on_cpu, used_grad.data(), addend.data(), of_sum, normalized.data(), inverse.data(),
                                   gamma.data(), {}, {}, {}, shards, width, same_residual.data(), same_x.data(),
                                   same_gamma.data(), nullptr, nullptr);
    EXPECT_EQ(same_residual, grad_residual);
    EXPECT_EQ(same_x, grad_x);
    EXPECT_EQ(same_gamma, Floats(sums.begin(), sums.begin() + width));
    std::vector<double> expected_sums(sums.size());
    const auto count = static_cast<std::size_t>(width);
    for (std::size_t begin = 0; begin < x.size(); begin += count) {
      double mean = 0, squares = 0, scaled_mean = 0, projection = 0;
      std::vector<double> value(count), scaled(count);
      for (std::size_t c = 0; c < count; ++c) value[c] = double{x[begin + c]} + bias[c] + residual[begin + c];
      for (const double v : value) mean += v / static_cast<double>(width);
      for (double& v : value) v -= mean;
      for (const double v : value) squares += v * v / static_cast<double>(width);
      for (double& v : value) v /= std::sqrt(squares + epsilon);
      for (std::size_t c = 0; c < count; ++c) {
        const double gradient = addend[begin + c] + (of_sum ? 0.0 : double{grad[begin + c]});
        scaled[c] = gradient * gamma[c];
        scaled_mean += scaled[c] / static_cast<double>(width);
        projection += scaled[c] * value[c] / static_cast<double>(width);
        expected_sums[c] += gradient * value[c];
        expected_sums[count + c] += gradient;
      }
      for (std::size_t c = 0; c < count; ++c) {
        ASSERT_NEAR(normalized[begin + c], value[c], 2e-6) << width;
        ASSERT_NEAR(out[begin + c], value[c] * gamma[c] + beta[c], 2e-6) << width;
        ASSERT_EQ(factor[begin + c], out[begin + c]) << width;
        ASSERT_EQ(sum[begin + c], x[begin + c] + bias[c] + residual[begin + c]) << width;
        const double gradient = (scaled[c] - scaled_mean - value[c] * projection) / std::sqrt(squares + epsilon) +
                                (of_sum ? double{grad[begin + c]} : 0.0);
        ASSERT_NEAR(grad_residual[begin + c], gradient, 5e-6 * std::max(1.0, std::abs(gradient))) << width;
        ASSERT_EQ(grad_x[begin + c], grad_residual[begin + c]) << width;
        expected_sums[2 * count + c] += gradient;
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) ASSERT_NEAR(sums[i], expected_sums[i], 2e-5) << width << ' ' << i;
  }
}

/// Both activations and their derivatives by their formulas in float64, also where exponentials end.
TEST(FactorKernels, GateIsThatOfItsFormula) {
  constexpr std::int64_t width = 37;
  Floats x = random_values(rows * 2 * width, 1);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] *= i % 5 == 0 ? 300.0f : 4.0f;
  const Floats grad = random_values(rows * width, 2);
  const auto value_and_slope = [](Activation activation, double a) {
    const double logistic = 1 / (1 + std::exp(-a)), normal = 0.5 * std::erfc(-a / std::sqrt(2.0));
    const double density = std::exp(-a * a / 2) / std::sqrt(2 * std::acos(-1.0));
    return activation == Activation::gelu ? std::pair(a * normal, normal + a * density)
                                          : std::pair(a * logistic, logistic * (1 + a * (1 - logistic)));
  };
  for (const Activation activation : {Activation::gelu, Activation::silu}) {
    Floats out(grad.size()), again(grad.size()), grad_x(x.size());
    Factors narrow_out(grad.size()), narrow_again(grad.size()), narrow_grad(x.size());
    wide().gate(on_cpu, activation, x.data(), rows, width, out.data());
    wide().gate_backward(on_cpu, activation, grad.data(), x.data(), rows, width, grad_x.data(), again.data());
    EXPECT_EQ(again, out);
    narrow().gate(on_cpu, activation, factors(x).data(), rows, width, narrow_out.data());
    narrow().gate_backward(on_cpu, activation, factors(grad).data(), factors(x).data(), rows, width, narrow_grad.data(),
                           narrow_again.data());
    Floats of_factors;
    for (const Bfloat16 factor : factors(x)) of_factors.push_back(value_of(factor));
    Floats expected(out.size()), expected_grad(x.size());
    wide().gate_backward(on_cpu, activation, grad.data(), of_factors.data(), rows, width, expected_grad.data(),
                         expected.data());
    expect_rounded(narrow_out, expected);
    expect_rounded(narrow_again, expected);
    expect_rounded(narrow_grad, expected_grad);
    for (std::int64_t i = 0; i < rows * width; ++i) {
      const auto at = static_cast<std::size_t>(i), of_a = static_cast<std::size_t>(i / width * 2 * width + i % width);
      const double a = x[of_a], b = x[of_a + width], gradient = grad[at];
      const auto [value, slope] = value_and_slope(activation, a);
      const double bound = 2e-6 * std::max(1.0, std::abs(b)) * std::max(1.0, std::abs(a));
      ASSERT_NEAR(out[at], value * b, bound) << a << ' ' << b;
      ASSERT_NEAR(grad_x[of_a], gradient * b * slope, bound) << a << ' ' << b;
      ASSERT_NEAR(grad_x[of_a + width], gradient * value, bound) << a << ' ' << b;
    }
  }
}

/// Some columns of a row turn, the others stay; the opposite direction turns them back.
TEST(FactorKernels, RotationIsThatOfComplexNumbers) {
  constexpr std::int64_t head_size = 10, stride = 37, first = 3;
  const RotatedColumns columns{rows, stride, first, 3, head_size};
  const std::vector<std::uint32_t> positions{0, 1, 2, 3, 0, 2, 1, 3, 3};
  Floats angles(4 * head_size);
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const double angle = 0.3 * static_cast<double>(i / head_size + 1) * static_cast<double>(1 + i % head_size % 5);
    angles[i] = static_cast<float>(i % head_size < 5 ? std::cos(angle) : std::sin(angle));
  }
  const Floats x = random_values(rows * stride, 1);
  Floats turned = x;
  Factors narrow_turned = factors(x);
  wide().rotate(on_cpu, turned.data(), columns, angles.data(), positions.data(), 1);
  narrow().rotate(on_cpu, narrow_turned.data(), columns, angles.data(), positions.data(), 1);
  expect_rounded(narrow_turned, turned);
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < stride; ++c) {
      const auto at = static_cast<std::size_t>(r * stride + c);
      if (c < first || c >= first + 3 * head_size) {
        ASSERT_EQ(turned[at], x[at]);
        continue;
      }
      const std::int64_t of_head = (c - first) % head_size, pair = of_head % 5;
      const std::size_t a = at - static_cast<std::size_t>(of_head - pair);
      const auto row = static_cast<std::size_t>(positions[static_cast<std::size_t>(r)]) * head_size;
      const std::complex<double> turn(angles[row + static_cast<std::size_t>(pair)],
                                      angles[row + static_cast<std::size_t>(pair) + 5]);
      const std::complex<double> expected = std::complex<double>(x[a], x[a + 5]) * turn;
      ASSERT_NEAR(turned[at], of_head < 5 ? expected.real() : expected.imag(), 1e-6);
    }
  wide().rotate(on_cpu, turned.data(), columns, angles.data(), positions.data(), -1);
  expect_near(turned, x, 1e-6);
}

TEST(FactorKernels, AttentionIsThatOfFloats) {
  for (const bool first_token_only : {false, true}) {
    const std::int64_t queries = first_token_only ? 3 : rows;
    const Attention arguments{
        {offsets, samples, 3, 9, 4}, hidden, heads, first_token_only, DropoutSite::of(DropoutStep::of(1, 2), 3, 0.25)};
    const Floats qkv = random_values(rows * 3 * hidden, 1), bias = random_values(3 * hidden, 2);
    Floats expected(static_cast<std::size_t>(queries * hidden));
    Factors out(expected.size());
    wide().attention(on_cpu, arguments, qkv.data(), bias.data(), nullptr, expected.data(), nullptr);
    narrow().attention(on_cpu, arguments, factors(qkv).data(), bias.data(), nullptr, out.data(), nullptr);
    expect_rounded(out, expected);

    const Floats grad = random_values(queries * hidden, 3);
    Floats wide_grad(qkv.size());
    Factors narrow_grad(qkv.size());
    wide().attention_backward(on_cpu, arguments, qkv.data(), bias.data(), nullptr, nullptr, nullptr, grad.data(),
                              wide_grad.data(), nullptr);
    narrow().attention_backward(on_cpu, arguments, factors(qkv).data(), bias.data(), nullptr, nullptr, nullptr,
                                factors(grad).data(), narrow_grad.data(), nullptr);
    expect_rounded(narrow_grad, wide_grad);
  }
}

/// Attention and its backward by their formulas in float64, for sentences of all lengths up to more than two vectors,
/// and for one of several blocks of queries; to all tokens, and to those of a window.
TEST(FactorKernels, AttentionIsThatOfItsFormula) {
  struct Case {
    std::int64_t head_size, farthest;
    std::int32_t shortest, longest;
  };
  constexpr std::int64_t everywhere = std::numeric_limits<std::int64_t>::max();
  for (const Case& of : {Case{20, everywhere, 1, 35},
                         {32, everywhere, 1, 35},
                         {20, 4, 1, 35},
                         {8, everywhere, 530, 530},
                         {8, 0, 20, 20},
                         {8, 30, 529, 530}}) {
    const std::int64_t head_size = of.head_size, farthest = of.farthest;
    const std::int32_t shortest = of.shortest, longest = of.longest;
    const std::int64_t columns = heads * head_size, width = 3 * columns;
    std::vector<std::int32_t> first{0};
    for (std::int32_t length = shortest; length <= longest; ++length) first.push_back(first.back() + length);
    const std::vector<std::uint32_t> numbers(first.size() - 1);
    const auto sentences = static_cast<std::int64_t>(numbers.size()), tokens = std::int64_t{first.back()};
    const Attention arguments{
        {first.data(), numbers.data(), sentences, tokens, longest}, columns, heads, false, {}, farthest};
    const Floats qkv = random_values(tokens * width, 1), bias = random_values(width, 2);
    const Floats grad = random_values(tokens * columns, 3);
    Floats context(static_cast<std::size_t>(tokens * columns)), grad_qkv(qkv.size());
    wide().attention(on_cpu, arguments, qkv.data(), bias.data(), nullptr, context.data(), nullptr);
    wide().attention_backward(on_cpu, arguments, qkv.data(), bias.data(), nullptr, nullptr, nullptr, grad.data(),
                              grad_qkv.data(), nullptr);

    const double scale = 1 / std::sqrt(static_cast<double>(head_size));
    for (std::size_t sentence = 0; sentence < numbers.size(); ++sentence)
      for (std::int64_t head = 0; head < heads; ++head) {
        const std::int64_t begin = first[sentence], count = first[sentence + 1] - begin;
        const auto value = [&](std::int64_t part, std::int64_t token, std::int64_t d) {
          const std::int64_t column = part * columns + head * head_size + d;
          return double{qkv[static_cast<std::size_t>((begin + token) * width + column)]} +
                 double{bias[static_cast<std::size_t>(column)]};
        };
        const auto place = [&](std::int64_t token, std::int64_t d) {
          return static_cast<std::size_t>((begin + token) * columns + head * head_size + d);
        };
        std::vector<std::vector<double>> grad_of(3, std::vector<double>(static_cast<std::size_t>(count * head_size)));
        const auto at = [&](std::int64_t token, std::int64_t d) {
          return static_cast<std::size_t>(token * head_size + d);
        };
        for (std::int64_t i = 0; i < count; ++i) {
          std::vector<double> probability, grad_probability;
          double sum = 0, projection = 0;
          for (std::int64_t j = 0; j < count; ++j) {
            double score = 0, gradient = 0;
            for (std::int64_t d = 0; d < head_size; ++d) {
              score += value(0, i, d) * value(1, j, d);
              gradient += double{grad[place(i, d)]} * value(2, j, d);
            }
            probability.push_back(std::abs(i - j) > farthest ? 0 : std::exp(score * scale));
            grad_probability.push_back(gradient);
            sum += probability.back();
          }
          for (double& p : probability) p /= sum;
          for (std::size_t j = 0; j < probability.size(); ++j) projection += probability[j] * grad_probability[j];
          for (std::int64_t d = 0; d < head_size; ++d) {
            double expected = 0;
            for (std::int64_t j = 0; j < count; ++j) {
              const double p = probability[static_cast<std::size_t>(j)];
              const double grad_score = p * (grad_probability[static_cast<std::size_t>(j)] - projection) * scale;
              expected += p * value(2, j, d);
              grad_of[0][at(i, d)] += grad_score * value(1, j, d);
              grad_of[1][at(j, d)] += grad_score * value(0, i, d);
              grad_of[2][at(j, d)] += p * double{grad[place(i, d)]};
            }
            ASSERT_NEAR(context[place(i, d)], expected, 3e-6) << count << " tokens, token " << i;
          }
        }
        for (std::int64_t part = 0; part < 3; ++part)
          for (std::int64_t i = 0; i < count; ++i)
            for (std::int64_t d = 0; d < head_size; ++d)
              ASSERT_NEAR(
                  grad_qkv[static_cast<std::size_t>((begin + i) * width + part * columns + head * head_size + d)],
                  grad_of[static_cast<std::size_t>(part)][at(i, d)], 2e-5)
                  << count << " tokens, part " << part << ", token " << i;
      }
  }
}

}  // namespace
}  // namespace gausscse::kernels
