#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tests/model/kernels/cuda/attention/attention_test.hpp"

namespace gausscse {
namespace {

using kernels::Bfloat16;
using LongBatch = AttentionBatch<float, Bfloat16>;

// Attention in bfloat16 by tensor cores over sentences of more than 64 tokens: blocks of 64 queries or keys.

/// Lengths whose last blocks have one token, all tokens but one, or are full, and rows of the mask that begin at each
/// of the four places among their counters.
const Lengths around_blocks{65, 66, 127, 128, 129, 90};

TEST(CudaAttentionOfLongSentences, IsNearThatOfTheCpu) {
  expect_all_bfloat16_near_both({.lengths = around_blocks, .heads = 1, .head_size = 32});
  expect_all_bfloat16_near_both({.lengths = {66, 129}, .heads = 1, .head_size = 64});
  expect_all_bfloat16_near_both({.lengths = {100, 70}, .heads = 3, .head_size = 32});
}

TEST(CudaAttentionOfLongSentences, WithRelativePositionsIsNearThatOfTheCpu) {
  expect_all_bfloat16_near_both({.lengths = {66, 190}, .heads = 2, .head_size = 32, .relative = true});
  expect_all_bfloat16_near_both({.lengths = {129}, .heads = 2, .head_size = 64, .relative = true});
}

TEST(CudaAttentionOfLongSentences, OfTheLongestSentenceIsNearThatOfTheCpu) {
  AttentionCase c{.lengths = {512}, .heads = 1, .head_size = 32, .dropout = 0.3};
  expect_bfloat16_near_both(c);
  c.relative = true;
  expect_case<float, Bfloat16, float, Bfloat16>(c);
}

TEST(CudaAttentionOfLongSentences, NextToShorterOnesIsNearThatOfTheCpu) {
  for (const bool relative : {false, true})
    expect_all_bfloat16_near_both({.lengths = {65, 64, 5, 100, 33}, .heads = 1, .head_size = 32, .relative = relative});
}

TEST(CudaAttentionOfLongSentences, ToTheirFirstTokensIsNearThatOfTheCpu) {
  for (const bool relative : {false, true})
    expect_all_bfloat16_near_both({.lengths = {70, 140, 200, 65, 130},
                                   .heads = 2,
                                   .head_size = 32,
                                   .attended = {17, 64, 65, 1, 129},
                                   .relative = relative});
}

TEST(CudaAttentionOfLongSentences, HasTheSameBitsInAnyOrder) {
  for (const bool relative : {false, true}) {
    const LongBatch batch({.lengths = {130, 20}, .heads = 2, .head_size = 32, .dropout = 0.2, .relative = relative});
    const auto bits_of = [](const std::vector<Bfloat16>& factors) { return converted<float>(factors); };
    const auto forward = batch.forward();
    const auto gradient = batch.gradient(forward);
    for_each_order([&] {
      const auto other_forward = batch.forward();
      EXPECT_EQ(bits_of(other_forward.context), bits_of(forward.context));
      EXPECT_EQ(other_forward.statistics, forward.statistics);
      const auto other = batch.gradient(forward);
      EXPECT_EQ(bits_of(other.qkv), bits_of(gradient.qkv));
      EXPECT_EQ(other.relative, gradient.relative);
    });
    EXPECT_EQ(bits_of(batch.context()), bits_of(forward.context)) << "statistics change the context";
  }
}

/// Scores of some queries grow from one block of keys to the next by more than weights may grow, so that earlier sums
/// are made smaller. Those of other queries shrink, and those of the rest stay about the same.
TEST(CudaAttentionOfLongSentences, OfScoresThatGrowFromBlockToBlock) {
  constexpr std::int64_t width = 32, tokens = 200;
  LongBatch batch({.lengths = {tokens}, .heads = 1, .head_size = width, .dropout = 0.3});
  // From block to block by 144 / sqrt(32), or by 37 as powers of 2.
  for (std::int64_t t = 0; t < tokens; ++t) {
    const auto first = static_cast<std::size_t>(3 * width * t);
    const std::int64_t block = t / 64;
    put_as(t % 3 == 0 ? 0.25 : t % 3 == 1 ? 12 : -12, batch.qkv[first]);
    put_as(12.0 * static_cast<double>(block) - 18, batch.qkv[first + width]);
  }
  batch.bias[0] = 0;
  const auto forward = batch.forward();
  expect_near(forward.context, batch.expected_context<double, double>(), 0x1p-7, "context");
  // Where one probability is nearly 1, the gradient of its score is a small difference of rounded numbers.
  expect_near(batch.gradient(forward).qkv, batch.expected_gradient<double, double>().qkv, 0x1p-5, "gradient");
}

/// A key or query behind the last one, whose products are 0, would have a weight beyond all bounds.
TEST(CudaAttentionOfLongSentences, OfScoresFarBelowZero) {
  constexpr std::int64_t width = 32, tokens = 70;
  LongBatch batch({.lengths = {tokens}, .heads = 1, .head_size = width});
  // Scores of about -576 / sqrt(32), or -147 as powers of 2.
  for (std::int64_t t = 0; t < tokens; ++t) {
    const auto first = static_cast<std::size_t>(3 * width * t);
    put_as(-24, batch.qkv[first]);
    put_as(24, batch.qkv[first + width]);
  }
  batch.bias[0] = 0;
  const auto forward = batch.forward();
  expect_near(forward.context, batch.expected_context<double, double>(), 0x1p-7, "context");
  expect_near(batch.gradient(forward).qkv, batch.expected_gradient<double, double>().qkv, 0x1p-7, "gradient");
}

TEST(CudaAttentionOfLongSentences, ByHand) {
  // Queries and their bias are 0, so each of 128 probabilities is 1/128, exactly. Token t has the value t everywhere,
  // with a bias of 8: contexts are 63.5 + 8.
  constexpr std::int64_t width = 32, tokens = 128;
  LongBatch batch({.lengths = {tokens}, .heads = 1, .head_size = width});
  for (std::int64_t t = 0; t < tokens; ++t)
    for (std::int64_t c = 0; c < width; ++c) {
      const auto place = [&](std::int64_t part) { return static_cast<std::size_t>(3 * width * t + part * width + c); };
      put_as(0, batch.qkv[place(0)]);
      put_as(c == 0 && t == 3 ? 64 : 0, batch.qkv[place(1)]);
      put_as(static_cast<double>(t), batch.qkv[place(2)]);
      put_as(c == 0 && t == 100 ? 1 : 0, batch.grad[static_cast<std::size_t>(width * t + c)]);
    }
  std::fill_n(batch.bias.begin(), width, 0.0f);
  std::fill_n(batch.bias.begin() + width, width, 100.0f);
  std::fill_n(batch.bias.begin() + 2 * width, width, 8.0f);
  const auto forward = batch.forward();
  expect_near(forward.context, std::vector<double>(tokens * width, 71.5), 0, "context");
  // Only column 0 of query 100's context has a gradient. The gradient of its score of key t is (t - 63.5) / 128. Keys
  // are 0 but for one, so that the gradient of this query is its product with key 3.
  std::vector<double> expected(3 * tokens * width);
  expected[3 * width * 100] = 64 * (3 - 63.5) / 128 / std::sqrt(32.0);
  for (std::int64_t t = 0; t < tokens; ++t) expected[static_cast<std::size_t>(3 * width * t + 2 * width)] = 1.0 / 128;
  expect_near(batch.gradient(forward).qkv, expected, 0x1p-8, "gradient");
}

/// The two numbers make scores probabilities: their exponentials less the first add up to the inverse of the second.
/// None are written for short sentences.
TEST(CudaAttentionOfLongSentences, StatisticsMakeProbabilities) {
  const LongBatch batch({.lengths = {64, 80}, .heads = 2, .head_size = 32, .dropout = 0.4});
  const auto statistics = batch.forward().statistics;
  const std::int64_t heads = 2, width = 32, hidden = heads * width;
  for (std::int64_t query = 0; query < 144; ++query)
    for (std::int64_t head = 0; head < heads; ++head) {
      const auto own = static_cast<std::size_t>((query * heads + head) * kernels::attention_statistics);
      if (query < 64) {
        ASSERT_EQ(statistics[own], static_cast<float>(no_result));
        ASSERT_EQ(statistics[own + 1], static_cast<float>(no_result));
        continue;
      }
      double sum = 0;
      for (std::int64_t key = 64; key < 144; ++key) {
        double product = 0;
        for (std::int64_t c = 0; c < width; ++c) {
          const auto of = [&](std::int64_t row, std::int64_t part) {
            return as_double(batch.qkv[static_cast<std::size_t>(row * 3 * hidden + part * hidden + head * width + c)]);
          };
          const double bias = as_double(batch.bias[static_cast<std::size_t>(head * width + c)]);
          product += (of(query, 0) + bias) * of(key, 1);
        }
        sum += std::exp2(product / std::sqrt(static_cast<double>(width)) / std::log(2.0) - as_double(statistics[own]));
      }
      // Queries are rounded to bfloat16 with their bias.
      ASSERT_NEAR(sum * as_double(statistics[own + 1]), 1, 0.02) << query << ", " << head;
    }
}

TEST(CudaAttentionOfLongSentences, DropsTheSameProbabilitiesAsTheCpu) {
  // Equal keys. The context of the 64 keys from `first` on, whose values are the rows of a unit matrix, is their
  // dropped probabilities.
  constexpr std::int64_t width = 64, heads = 2;
  for (const std::int32_t length : {65, 90, 112, 128, 150})
    for (std::int32_t first = 0; first < length; first += 64) {
      LongBatch batch({.lengths = {length, length}, .heads = heads, .head_size = width, .dropout = 0.4});
      std::fill(batch.qkv.begin(), batch.qkv.end(), Bfloat16{});
      std::fill(batch.bias.begin(), batch.bias.end(), 0.0f);
      for (std::int64_t row = 0; row < 2 * length; ++row)
        for (std::int64_t head = 0; head < heads; ++head)
          if (const std::int64_t key = row % length - first; key >= 0 && key < width)
            put_as(length, batch.qkv[static_cast<std::size_t>((3 * row + 2) * heads * width + head * width + key)]);
      const auto context = batch.context();
      const kernels::Attention& arguments = batch.arguments();
      const int padded = (length + 15) / 16 * 16;
      for (std::int32_t row = 0; row < 2 * length; ++row)
        for (std::uint32_t head = 0; head < heads; ++head)
          for (std::int32_t key = first; key < std::min<std::int32_t>(length, first + width); ++key) {
            const auto element = static_cast<std::uint32_t>(row % length * padded + key);
            const std::uint32_t word =
                kernels::dropout_word(arguments.dropout, arguments.shape.samples[row / length], head, element);
            const double expected = word >= arguments.dropout.threshold ? 1 / 0.6 : 0.0;
            ASSERT_NEAR(as_double(context[static_cast<std::size_t>((row * heads + head) * width + key - first)]),
                        expected, 0.02)
                << length << ": " << row << ", " << head << ", " << key;
          }
    }
}

TEST(CudaAttentionOfLongSentences, HasTheSameBitsNextToOthers) {
  const AttentionCase alone{.lengths = {130}, .heads = 2, .head_size = 32};
  AttentionCase with = alone;
  with.lengths = {130, 0, 300, 64, 0};
  const LongBatch one(alone), several(with);
  const auto begin_of = [](const std::vector<Bfloat16>& all, std::size_t count) {
    return converted<float>(std::vector<Bfloat16>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)));
  };
  // Random numbers of the first sentence are the same.
  const auto forward = one.forward(), of_several = several.forward();
  EXPECT_EQ(begin_of(of_several.context, forward.context.size()), converted<float>(forward.context));
  const auto gradient = one.gradient(forward).qkv;
  EXPECT_EQ(begin_of(several.gradient(of_several).qkv, gradient.size()), converted<float>(gradient));
}

TEST(CudaAttentionOfLongSentences, NeedsContextAndStatisticsForItsBackward) {
  for (const std::int32_t length : {64, 65}) {
    const LongBatch batch({.lengths = {length}, .heads = 1, .head_size = 32});
    std::vector<Bfloat16> grad_qkv(batch.qkv.size());
    const auto backward = [&] {
      GpuOnCpu gpu;
      kernels::cuda::attention_backward<float, Bfloat16>(gpu.context(), batch.arguments(), batch.qkv.data(),
                                                         batch.bias.data(), nullptr, nullptr, nullptr,
                                                         batch.grad.data(), grad_qkv.data(), nullptr);
    };
    if (length == 64)
      EXPECT_NO_THROW(backward());
    else
      EXPECT_THROW(backward(), std::invalid_argument);
  }
}

}  // namespace
}  // namespace gausscse
