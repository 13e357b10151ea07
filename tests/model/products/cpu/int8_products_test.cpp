#include "model/products/cpu/int8_products.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "base/philox.hpp"

namespace gausscse {
namespace {

using int8_products::Rows;
using int8_products::RowsMemory;
using int8_products::Weight;

/// Quantises x, bfloat16 [rows, columns], into `memory`.
Rows quantised(const at::Tensor& x, RowsMemory& memory) {
  Rows rows = memory.get(x.size(0), x.size(1));
  kernels::int8_kernels().quantise(reinterpret_cast<const kernels::Bfloat16*>(x.const_data_ptr<at::BFloat16>()),
                                   x.stride(0), x.size(0), x.size(1), rows.from(0));
  return rows;
}

/// Returns what byte b of row r means.
double meaning(const Rows& rows, std::int64_t r, std::uint8_t byte) {
  const kernels::ByteScale scale = *rows.from(r).scales;
  return double{scale.scale} * (byte - double{scale.zero});
}

std::int64_t weight_byte(const Weight& weight, std::int64_t k, std::int64_t c) {
  const std::int8_t* panel = weight.panels.const_data_ptr<std::int8_t>() + c / 64 * weight.panels.size(1);
  return panel[(k / 4 * 64 + c % 64) * 4 + k % 4];
}

/// Widths that fill panels and chunks of depth, and widths that leave a rest; the largest bytes of both signs.
TEST(Int8Products, SumsAreExact) {
  PhiloxStream random(3, 0);
  for (const auto& [rows, depth, columns] :
       {std::tuple{1, 8, 3}, {7, 24, 40}, {64, 384, 130}, {33, 1000, 64}, {17, 1536, 65}}) {
    const at::Tensor weights = at::randn({columns, depth}), bias = at::randn({columns});
    Weight weight = int8_products::pack_weight(weights, bias, {});
    RowsMemory memory;
    const Rows bytes = memory.get(rows, depth);
    const kernels::ByteRows all = bytes.from(0);
    std::fill_n(all.bytes, rows * all.stride, std::uint8_t{0});
    for (std::int64_t r = 0; r < rows; ++r) {
      all.scales[r] = {0.5f, static_cast<float>(r % 256)};
      for (std::int64_t k = 0; k < depth; ++k)
        all.bytes[r * all.stride + k] = static_cast<std::uint8_t>(r == 0 ? 255 : random.below(256));
    }
    const at::Tensor sums = at::empty({64, weight.sums_stride()}, at::kInt);
    const kernels::Int8Sums product = int8_products::multiply(all, rows, weight, sums.mutable_data_ptr<std::int32_t>());
    const at::Tensor rounded = at::empty({rows, columns}, at::kBFloat16);
    kernels::int8_kernels().round_sums(
        product, reinterpret_cast<kernels::Bfloat16*>(rounded.mutable_data_ptr<at::BFloat16>()), columns);
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) {
        std::int64_t sum = 0, of_bytes = 0;
        for (std::int64_t k = 0; k < depth; ++k) {
          sum += all.bytes[r * all.stride + k] * weight_byte(weight, k, c);
          of_bytes += weight_byte(weight, k, c);
        }
        ASSERT_EQ(product.sums[r * product.stride + c], sum) << rows << " x " << depth << ", row " << r << ", " << c;
        ASSERT_EQ(product.byte_sums[c], of_bytes);
        const double expected = 0.5 * weight.scales[c].item<double>() * static_cast<double>(sum - r % 256 * of_bytes) +
                                bias[c].item<double>();
        ASSERT_NEAR(rounded[r][c].item<double>(), expected, std::abs(expected) / 256 + 1e-4);
      }
    }
  }
}

TEST(Int8Products, BytesAreWithinHalfAStep) {
  const at::Tensor x = (at::randn({5, 100}) * 3).to(at::kBFloat16);
  x[1].fill_(0);
  x[2] = x[2].abs() + 1;
  x[3] = -x[3].abs();
  x[4][7] = 1000;
  RowsMemory memory;
  const Rows rows = quantised(x, memory);
  for (std::int64_t r = 0; r < x.size(0); ++r) {
    const double least = std::min(0.0, x[r].min().item<double>()), most = std::max(0.0, x[r].max().item<double>());
    EXPECT_NEAR(rows.from(r).scales->scale, (most - least) / 255, 1e-6 * (most - least));
    for (std::int64_t c = 0; c < x.size(1); ++c) {
      const std::uint8_t byte = rows.from(r).bytes[c];
      // The zero is whole: half a step for it at the ends of the range.
      EXPECT_NEAR(meaning(rows, r, byte), x[r][c].item<double>(), 1.001 * (most - least) / 255) << r << " " << c;
    }
    for (std::int64_t c = x.size(1); c < rows.bytes.size(1); ++c) EXPECT_EQ(rows.from(r).bytes[c], 0);
    const double zero = rows.from(r).scales->zero;
    EXPECT_EQ(zero, std::round(zero));
  }
}

TEST(Int8Products, WeightsAreWithinHalfAStepAndFactorsAreTakenOut) {
  const at::Tensor weights = at::randn({70, 90}), bias = at::randn({70}), factors = at::ones({90});
  factors[3] = 0.5;
  weights[5].fill_(0);
  const Weight weight = int8_products::pack_weight(weights, bias, factors);
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
    const at::Tensor x = at::randn({2, 64}).to(at::kBFloat16), weights = at::randn({3, 64}), bias = at::randn({3});
    x[1][20] = value;
    weights[2][9] = value;
    const Weight weight = int8_products::pack_weight(weights, bias, {});
    RowsMemory memory;
    const at::Tensor sums = at::empty({64, weight.sums_stride()}, at::kInt), out = at::empty({2, 3}, at::kBFloat16);
    kernels::int8_kernels().round_sums(
        int8_products::multiply(quantised(x, memory).from(0), 2, weight, sums.mutable_data_ptr<std::int32_t>()),
        reinterpret_cast<kernels::Bfloat16*>(out.mutable_data_ptr<at::BFloat16>()), 3);
    for (std::int64_t r = 0; r < 2; ++r)
      for (std::int64_t c = 0; c < 3; ++c)
        EXPECT_EQ(std::isfinite(out[r][c].item<float>()), r == 0 && c < 2) << value << " " << r << " " << c;
  }
}

}  // namespace
}  // namespace gausscse
