#include "model/matmul/cpu/int8_matmul.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>

#include "base/philox.hpp"
#include "model/kernels/relative_position.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using int8_matmul::RowsMemory;
using int8_matmul::Weight;

const kernels::Int8Kernels& kernels_under_test() {
  return kernels::int8_kernels();
}

/// Quantises x, float32 [rows, columns], into `memory`.
kernels::ByteRows quantised(const at::Tensor& x, RowsMemory& memory) {
  const kernels::ByteRows rows = memory.get(x.size(0), x.size(1));
  kernels_under_test().quantise(x.const_data_ptr<float>(), x.size(0), x.size(1), rows);
  return rows;
}

/// Returns the number that byte b of row r represents.
double meaning(const kernels::ByteRows& rows, std::int64_t r, std::uint8_t byte) {
  return double{rows.scales[r].scale} * (byte - double{rows.scales[r].zero});
}

std::int64_t weight_byte(const Weight& weight, std::int64_t k, std::int64_t c) {
  const std::int8_t* panel = weight.panels.const_data_ptr<std::int8_t>() + c / 64 * weight.panels.size(1);
  return panel[(k / 4 * 64 + c % 64) * 4 + k % 4];
}

/// Returns the bytes of all columns, [columns, depth].
std::vector<std::int64_t> weight_bytes(const Weight& weight, std::int64_t depth) {
  std::vector<std::int64_t> bytes;
  for (std::int64_t c = 0; c < weight.columns; ++c)
    for (std::int64_t k = 0; k < depth; ++k) bytes.push_back(weight_byte(weight, k, c));
  return bytes;
}

/// Fills rows with random bytes and zeros; the first row with the largest ones.
kernels::ByteRows random_bytes(std::int64_t rows, std::int64_t depth, RowsMemory& memory) {
  PhiloxStream random(3, 0);
  const kernels::ByteRows all = memory.get(rows, depth);
  std::fill_n(all.bytes, rows * all.stride, std::uint8_t{0});
  for (std::int64_t r = 0; r < rows; ++r) {
    all.scales[r] = {0.001f, static_cast<float>(r * 7 % 256)};
    for (std::int64_t k = 0; k < depth; ++k)
      all.bytes[r * all.stride + k] = static_cast<std::uint8_t>(r == 0 ? 255 : random.below(256));
  }
  return all;
}

/// Rows, depths and columns that fill tiles and panels, and that leave a rest.
constexpr std::tuple<std::int64_t, std::int64_t, std::int64_t> shapes_of_products[] = {
    {1, 8, 3},     {2, 4, 64},     {3, 7, 16},     {4, 24, 40},   {5, 65, 70},
    {11, 100, 17}, {64, 384, 130}, {33, 1000, 64}, {17, 1536, 65}};

/// By kernels of ours and by the library, where it can.
TEST(Int8Products, SumsAreExact) {
  std::vector<kernels::Int8Multiplier> multipliers{kernels_under_test().multiplier(), int8_matmul::multiplier()};
  if (const auto by_library = int8_matmul::multiplier_of_library()) multipliers.push_back(*by_library);
  for (const kernels::Int8Multiplier& multiplier : multipliers) {
    ASSERT_GE(multiplier.rows, 1);
    ASSERT_LE(multiplier.rows, kernels::int8_most_rows);
    for (const auto& [rows, depth, columns] : shapes_of_products) {
      const Weight weight = int8_matmul::pack_weight(at::randn({columns, depth}), at::randn({columns}), {});
      RowsMemory memory;
      const kernels::ByteRows all = random_bytes(rows, depth, memory);
      const kernels::Int8Linear layer = weight.linear();
      EXPECT_EQ(layer.depth, all.stride);
      const std::vector<std::int64_t> weights = weight_bytes(weight, depth);
      std::vector<std::int32_t> sums(64 * 64);
      for (std::int64_t first = 0; first < columns; first += 64) {
        multiplier.multiply(all.bytes, all.stride, rows, layer.depth, layer.panels + first * layer.depth, sums.data());
        for (std::int64_t r = 0; r < rows; ++r)
          for (std::int64_t c = first; c < std::min(columns, first + 64); ++c) {
            std::int64_t sum = 0;
            for (std::int64_t k = 0; k < depth; ++k)
              sum += all.bytes[r * all.stride + k] * weights[static_cast<std::size_t>(c * depth + k)];
            ASSERT_EQ(sums[static_cast<std::size_t>(r * 64 + c - first)], sum)
                << rows << " x " << depth << ", row " << r << ", " << c;
          }
      }
    }
  }
}

/// Written, added and through GELU; more rows than a tile has.
TEST(Int8Products, LayersAreThoseOfTheirBytes) {
  for (const auto& [rows, depth, columns] : shapes_of_products) {
    const at::Tensor bias = at::randn({columns});
    const Weight weight = int8_matmul::pack_weight(at::randn({columns, depth}), bias, {});
    const std::vector<std::int64_t> weights = weight_bytes(weight, depth);
    RowsMemory memory, gelu_memory;
    const kernels::ByteRows all = random_bytes(rows, depth, memory);
    const std::int64_t stride = columns + 5;
    const at::Tensor written = at::full({rows, stride}, -7.0f), added = at::ones({rows, columns}),
                     through_gelu = at::empty({rows, columns});
    kernels_under_test().linear(all, rows, weight.linear(), written.mutable_data_ptr<float>(), stride);
    kernels_under_test().add_linear(all, rows, weight.linear(), added.mutable_data_ptr<float>());
    const kernels::ByteRows bytes = gelu_memory.get(rows, columns);
    kernels_under_test().gelu_linear(all, rows, weight.linear(), through_gelu.mutable_data_ptr<float>(), bytes);
    const float *const written_data = written.const_data_ptr<float>(), *const gelu_data =
                                                                           through_gelu.const_data_ptr<float>();
    for (std::int64_t r = 0; r < rows; ++r) {
      double least = 0, most = 0;
      for (std::int64_t c = 0; c < columns; ++c) {
        double expected = 0;
        for (std::int64_t k = 0; k < depth; ++k)
          expected += meaning(all, r, all.bytes[r * all.stride + k]) *
                      static_cast<double>(weights[static_cast<std::size_t>(c * depth + k)]);
        expected =
            expected * double{weight.scales.const_data_ptr<float>()[c]} + double{bias.const_data_ptr<float>()[c]};
        const double near = 1e-5 * std::abs(expected) + 2e-5;
        ASSERT_NEAR(written_data[r * stride + c], expected, near) << rows << " x " << depth << " " << r << " " << c;
        ASSERT_NEAR(added.const_data_ptr<float>()[r * columns + c], expected + 1, near);
        const double gelu = expected * 0.5 * std::erfc(-expected / std::sqrt(2.0));
        ASSERT_NEAR(gelu_data[r * columns + c], gelu, near + 1.5e-4);
        least = std::min(least, gelu);
        most = std::max(most, gelu);
      }
      for (std::int64_t c = columns; c < stride; ++c) ASSERT_EQ(written_data[r * stride + c], -7.0f);
      for (std::int64_t c = 0; c < columns; ++c)
        ASSERT_NEAR(meaning(bytes, r, bytes.bytes[r * bytes.stride + c]), gelu_data[r * columns + c],
                    1.001 * (most - least) / 255 + 1e-4);
    }
  }
}

/// The distribution function cancels out of small numbers: relative errors.
TEST(Int8Products, GeluOfSmallNumbersIsNear) {
  const at::Tensor bias = at::randn({64}) * 1e-4;
  const Weight weight = int8_matmul::pack_weight(at::zeros({64, 4}), bias, {});
  RowsMemory memory, out;
  const kernels::ByteRows all = random_bytes(1, 4, memory);
  const at::Tensor values = at::empty({64});
  kernels_under_test().gelu_linear(all, 1, weight.linear(), values.mutable_data_ptr<float>(), out.get(1, 64));
  for (std::int64_t c = 0; c < 64; ++c) {
    const double x = bias[c].item<double>();
    EXPECT_NEAR(values[c].item<double>(), x * 0.5 * std::erfc(-x / std::sqrt(2.0)), 1e-3 * std::abs(x));
  }
}

/// All that attention can be given: widths that fill registers or not, queries of several tiles or first tokens alone,
/// tokens that are not attended to, biases by relative position, windows.
TEST(Int8Products, AttentionIsThatOfItsFormula) {
  constexpr int everywhere = 1000;
  for (const auto& [width_of_head, tokens, attended, queries, with_bias, farthest] :
       {std::tuple{32, 1, 1, 1, false, everywhere},
        {32, 12, 12, 12, false, everywhere},
        {64, 40, 40, 40, true, everywhere},
        {32, 40, 40, 40, false, 5},
        {12, 150, 150, 150, false, 30},
        {8, 33, 33, 1, false, 0},
        {12, 19, 7, 19, true, everywhere},
        {40, 150, 150, 150, true, everywhere},
        {8, 33, 33, 1, false, everywhere},
        {48, 17, 16, 17, true, everywhere}}) {
    const std::int64_t heads = 3, head_size = width_of_head, hidden = heads * head_size, stride = 3 * hidden;
    const at::Tensor qkv = at::randn({tokens, stride}), bias = at::randn({32, heads}),
                     context = at::empty({queries, hidden});
    const float* const data = qkv.const_data_ptr<float>();
    kernels_under_test().attention({.heads = heads,
                                    .head_size = head_size,
                                    .relative_bias = with_bias ? bias.const_data_ptr<float>() : nullptr,
                                    .queries = queries,
                                    .tokens = attended,
                                    .query = data,
                                    .query_stride = stride,
                                    .key = data + hidden,
                                    .value = data + 2 * hidden,
                                    .stride = stride,
                                    .context = context.mutable_data_ptr<float>(),
                                    .farthest = farthest});
    for (std::int64_t head = 0; head < heads; ++head) {
      const auto part = [&](std::int64_t which, std::int64_t rows) {
        return qkv.narrow(0, 0, rows).narrow(1, which * hidden + head * head_size, head_size).to(at::kDouble);
      };
      at::Tensor scores = part(0, queries).mm(part(1, attended).t()) / std::sqrt(static_cast<double>(head_size));
      if (with_bias)
        for (int q = 0; q < queries; ++q)
          for (int k = 0; k < attended; ++k)
            scores.mutable_data_ptr<double>()[q * attended + k] +=
                bias.const_data_ptr<float>()[kernels::relative_position_bucket(k - q) * heads + head];
      for (int q = 0; q < queries; ++q)
        for (int k = 0; k < attended; ++k)
          if (std::abs(k - q) > farthest) scores.mutable_data_ptr<double>()[q * attended + k] = -1e300;
      const at::Tensor expected = scores.softmax(1).mm(part(2, attended));
      const at::Tensor of_head = context.narrow(1, head * head_size, head_size);
      ASSERT_LT((of_head - expected).abs().max().item<double>(), 2e-5) << head_size << " " << tokens << " " << head;
    }
  }
}

TEST(Int8Products, NormsAreThoseOfTheirRows) {
  for (const std::int64_t columns : {3, 40, 64, 100, 384}) {
    const at::Tensor x = at::randn({3, columns}) * 4 + 1, gamma = at::randn({columns}), beta = at::randn({columns}),
                     factors = at::ones({columns});
    factors[1] = 0.5;
    const at::Tensor values = x.clone(), kept = x.clone();
    RowsMemory memory, of_kept;
    const kernels::ByteRows bytes = memory.get(3, columns), bytes_of_kept = of_kept.get(3, columns);
    kernels::NormToBytes norm{.gamma = gamma.const_data_ptr<float>(),
                              .beta = beta.const_data_ptr<float>(),
                              .epsilon = 0.1f,
                              .factors = factors.const_data_ptr<float>(),
                              .keeps_input = false,
                              .bytes = bytes};
    kernels_under_test().normalize(values.mutable_data_ptr<float>(), 3, columns, norm);
    norm.keeps_input = true;
    norm.bytes = bytes_of_kept;
    kernels_under_test().normalize(kept.mutable_data_ptr<float>(), 3, columns, norm);
    EXPECT_TRUE(kept.equal(x));
    for (std::int64_t r = 0; r < 3; ++r) {
      EXPECT_EQ(bytes.scales[r].scale, bytes_of_kept.scales[r].scale);
      EXPECT_EQ(std::memcmp(bytes.bytes + r * bytes.stride, bytes_of_kept.bytes + r * bytes.stride,
                            static_cast<std::size_t>(bytes.stride)),
                0);
    }
    const at::Tensor wide = x.to(at::kDouble), centred = wide - wide.mean(1, true);
    const at::Tensor expected = centred / (centred.square().mean(1, true) + 0.1).sqrt() * gamma + beta;
    EXPECT_LT((values - expected).abs().max().item<double>(), 1e-5);
    for (std::int64_t r = 0; r < 3; ++r) {
      const at::Tensor scaled = expected[r] * factors;
      const double range = std::max(0.0, scaled.max().item<double>()) - std::min(0.0, scaled.min().item<double>());
      for (std::int64_t c = 0; c < columns; ++c)
        EXPECT_NEAR(meaning(bytes, r, bytes.bytes[r * bytes.stride + c]), scaled[c].item<double>(),
                    1.001 * range / 255 + 1e-5);
    }
  }
}

TEST(Int8Products, BytesAreWithinHalfAStep) {
  const at::Tensor x = at::randn({5, 100}) * 3;
  x[1].fill_(0);
  x[2] = x[2].abs() + 1;
  x[3] = -x[3].abs();
  x[4][7] = 1000;
  RowsMemory memory;
  const kernels::ByteRows rows = quantised(x, memory);
  for (std::int64_t r = 0; r < x.size(0); ++r) {
    const double least = std::min(0.0, x[r].min().item<double>()), most = std::max(0.0, x[r].max().item<double>());
    EXPECT_NEAR(rows.scales[r].scale, (most - least) / 255, 1e-6 * (most - least));
    for (std::int64_t c = 0; c < x.size(1); ++c) {
      const std::uint8_t byte = rows.bytes[r * rows.stride + c];
      // The zero is whole: half a step for it at the ends of the range.
      EXPECT_NEAR(meaning(rows, r, byte), x[r][c].item<double>(), 1.001 * (most - least) / 255) << r << " " << c;
    }
    for (std::int64_t c = x.size(1); c < rows.stride; ++c) EXPECT_EQ(rows.bytes[r * rows.stride + c], 0);
    const double zero = rows.scales[r].zero;
    EXPECT_EQ(zero, std::round(zero));
  }
}

TEST(Int8Products, WeightsAreWithinHalfAStepAndFactorsAreTakenOut) {
  const at::Tensor weights = at::randn({70, 90}), bias = at::randn({70}), factors = at::ones({90});
  factors[3] = 0.5;
  weights[5].fill_(0);
  const Weight weight = int8_matmul::pack_weight(weights, bias, factors);
  const at::Tensor expected = weights / factors;
  for (std::int64_t c = 0; c < 70; ++c) {
    const double largest = expected[c].abs().max().item<double>(), scale = weight.scales[c].item<double>();
    EXPECT_NEAR(scale, largest / 127, 1e-6);
    std::int64_t most = 0;
    for (std::int64_t k = 0; k < 90; ++k) {
      EXPECT_NEAR(scale * static_cast<double>(weight_byte(weight, k, c)), expected[c][k].item<double>(),
                  0.5001 * scale);
      most = std::max(most, std::abs(weight_byte(weight, k, c)));
    }
    EXPECT_EQ(most, c == 5 ? 0 : 127);
  }
}

TEST(Int8Products, WhatIsNotFiniteStaysVisible) {
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const at::Tensor x = at::randn({2, 70}), weights = at::randn({3, 70}), bias = at::randn({3}),
                     out = at::empty({2, 3});
    for (const std::int64_t place : {20, 68}) {
      x[1][place] = value;
      weights[2][9] = value;
      const Weight weight = int8_matmul::pack_weight(weights, bias, {});
      RowsMemory memory;
      kernels_under_test().linear(quantised(x, memory), 2, weight.linear(), out.mutable_data_ptr<float>(), 3);
      for (std::int64_t r = 0; r < 2; ++r)
        for (std::int64_t c = 0; c < 3; ++c)
          EXPECT_EQ(std::isfinite(out[r][c].item<float>()), r == 0 && c < 2) << value << " " << r << " " << c;
      x[1][place] = 0;
    }
  }
}

}  // namespace
}  // namespace gausscse
