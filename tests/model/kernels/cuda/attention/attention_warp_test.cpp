#include <algorithm>
#include <stdexcept>

#include "tests/model/kernels/cuda/attention/attention_test.hpp"

namespace gausscse {
namespace {

using kernels::Bfloat16;
using WarpBatch = AttentionBatch<float, Bfloat16>;

// Attention in bfloat16 by tensor cores: heads of 32 and 64 columns.

TEST(CudaAttentionByTensorCores, IsNearThatOfTheCpu) {
  for (const std::int64_t head_size : {32, 64})
    expect_all_bfloat16_near_both({.lengths = {15, 16, 1, 17, 32, 33, 48, 49, 64}, .heads = 1, .head_size = head_size});
  expect_all_bfloat16_near_both({.lengths = {12, 26, 40, 60}, .heads = 3, .head_size = 32});
}

TEST(CudaAttentionByTensorCores, WithRelativePositionsIsNearThatOfTheCpu) {
  for (const std::int64_t head_size : {32, 64})
    expect_all_bfloat16_near_both(
        {.lengths = {16, 3, 30, 47, 64}, .heads = 2, .head_size = head_size, .relative = true});
}

TEST(CudaAttentionByTensorCores, ToTheFirstTokensOfASentence) {
  for (const bool relative : {false, true})
    expect_all_bfloat16_near_both({.lengths = {20, 70, 33, 5, 32, 64},
                                   .heads = 2,
                                   .head_size = 32,
                                   .attended = {17, 34, 3, 5, 1, 16},
                                   .relative = relative});
}

TEST(CudaAttentionByTensorCores, ToNearKeysIsNearThatOfTheCpu) {
  for (const std::int64_t farthest : {5, 40})
    expect_all_bfloat16_near_both({.lengths = {16, 6, 41, 64, 150}, .heads = 1, .head_size = 32, .farthest = farthest});
  expect_all_bfloat16_near_both({.lengths = {30, 200}, .heads = 1, .head_size = 64, .relative = true, .farthest = 64});
}

TEST(CudaAttentionByTensorCores, HasTheSameBitsInAnyOrder) {
  for (const bool relative : {false, true}) {
    const WarpBatch batch(
        {.lengths = {13, 18, 44, 2, 61}, .heads = 2, .head_size = 32, .dropout = 0.2, .relative = relative});
    const auto bits_of = [](const std::vector<Bfloat16>& factors) { return converted<float>(factors); };
    const auto context = bits_of(batch.context());
    const auto gradient = batch.gradient({});
    for_each_order([&] {
      EXPECT_EQ(bits_of(batch.context()), context);
      const auto other = batch.gradient({});
      EXPECT_EQ(bits_of(other.qkv), bits_of(gradient.qkv));
      EXPECT_EQ(other.relative, gradient.relative);
    });
  }
}

TEST(CudaAttentionByTensorCores, ByHand) {
  // Four tokens whose scores are 0, as the queries and their bias are: each probability is 1/4, exactly. Token t has
  // the value 4 t everywhere, with a bias of 8.
  constexpr std::int64_t width = 32, tokens = 4;
  WarpBatch batch({.lengths = {tokens}, .heads = 1, .head_size = width});
  for (std::int64_t t = 0; t < tokens; ++t)
    for (std::int64_t c = 0; c < width; ++c) {
      const auto place = [&](std::int64_t part) { return static_cast<std::size_t>(3 * width * t + part * width + c); };
      put_as(0, batch.qkv[place(0)]);
      put_as(c == 0 ? static_cast<double>(t) : 0, batch.qkv[place(1)]);
      put_as(4 * static_cast<double>(t), batch.qkv[place(2)]);
      put_as(c == 0 && t == 1 ? 1 : 0, batch.grad[static_cast<std::size_t>(width * t + c)]);
    }
  std::fill_n(batch.bias.begin(), width, 0.0f);
  std::fill_n(batch.bias.begin() + width, width, 100.0f);
  std::fill_n(batch.bias.begin() + 2 * width, width, 8.0f);
  expect_near(batch.context(), std::vector<double>(tokens * width, 14), 0, "context");
  // Only column 0 of query 1's context has a gradient. Gradients of its probabilities are 8 + 4 t, and of its scores
  // 1/4 (8 + 4 t - 14), which are divided by the root of 32.
  std::vector<double> expected(3 * tokens * width);
  double of_query = 0;
  for (std::int64_t t = 0; t < tokens; ++t) {
    of_query += static_cast<double>(t) * (4 * static_cast<double>(t) - 6) / 4 / std::sqrt(32.0);
    expected[static_cast<std::size_t>(3 * width * t + 2 * width)] = 0.25;
  }
  expected[3 * width] = of_query;
  expect_near(batch.gradient({}).qkv, expected, 0x1p-8, "gradient");
}

TEST(CudaAttentionByTensorCores, DropsTheSameProbabilitiesAsTheCpu) {
  // Equal keys, and values that are the rows of a unit matrix: the context is the dropped probabilities.
  constexpr std::int64_t width = 64, heads = 2;
  for (const std::int32_t length : {7, 16, 25, 40, 64}) {
    WarpBatch batch({.lengths = {length, length}, .heads = heads, .head_size = width, .dropout = 0.4});
    std::fill(batch.qkv.begin(), batch.qkv.end(), Bfloat16{});
    std::fill(batch.bias.begin(), batch.bias.end(), 0.0f);
    for (std::int64_t row = 0; row < 2 * length; ++row)
      for (std::int64_t head = 0; head < heads; ++head)
        put_as(length,
               batch.qkv[static_cast<std::size_t>((3 * row + 2) * heads * width + head * width + row % length)]);
    const auto context = batch.context();
    const kernels::Attention& arguments = batch.arguments();
    const int padded = (length + 15) / 16 * 16;
    for (std::int32_t row = 0; row < 2 * length; ++row)
      for (std::uint32_t head = 0; head < heads; ++head)
        for (std::int32_t key = 0; key < length; ++key) {
          const auto element = static_cast<std::uint32_t>(row % length * padded + key);
          const std::uint32_t word =
              kernels::dropout_word(arguments.dropout, arguments.shape.samples[row / length], head, element);
          const double expected = word >= arguments.dropout.threshold ? 1 / 0.6 : 0.0;
          ASSERT_NEAR(as_double(context[static_cast<std::size_t>((row * heads + head) * width + key)]), expected, 0.02)
              << row << ", " << head << ", " << key;
        }
  }
}

/// Sentences that are ordered by their lengths have blocks of their class alone: the same bits.
TEST(CudaAttentionByTensorCores, HasTheSameBitsInClassesOfLengths) {
  for (const std::int64_t head_size : {32, 64}) {
    WarpBatch batch({.lengths = {5, 64, 40, 16, 70, 17, 33, 1, 48, 32, 9},
                     .heads = 3,
                     .head_size = head_size,
                     .dropout = 0.2,
                     .relative = head_size == 64});
    const auto forward = batch.forward();
    const auto gradient = batch.gradient(forward);
    batch.order_by_length();
    EXPECT_EQ(converted<float>(batch.forward().context), converted<float>(forward.context));
    const auto ordered = batch.gradient(forward);
    EXPECT_EQ(converted<float>(ordered.qkv), converted<float>(gradient.qkv));
    EXPECT_EQ(ordered.relative, gradient.relative);
  }
}

TEST(CudaAttentionByTensorCores, LeavesStatisticsAlone) {
  const WarpBatch batch({.lengths = {64, 40, 2}, .heads = 2, .head_size = 32});
  const auto forward = batch.forward();
  EXPECT_EQ(forward.statistics, std::vector<float>(forward.statistics.size(), static_cast<float>(no_result)));
}

TEST(CudaAttentionByTensorCores, OfSentencesWithoutTokensIsThatOfTheOthers) {
  const WarpBatch with({.lengths = {0, 3, 0, 40, 0}, .heads = 1, .head_size = 32}),
      without({.lengths = {3, 40}, .heads = 1, .head_size = 32});
  EXPECT_EQ(converted<float>(with.context()), converted<float>(without.context()));
  EXPECT_EQ(converted<float>(with.gradient({}).qkv), converted<float>(without.gradient({}).qkv));
}

TEST(CudaAttentionByTensorCores, RefusesMatricesAtOddAddresses) {
  const WarpBatch batch({.lengths = {4}, .heads = 1, .head_size = 32});
  std::vector<Bfloat16> moved(batch.qkv.size() + 1), context(batch.grad.size());
  GpuOnCpu gpu;
  EXPECT_THROW((kernels::cuda::attention<float, Bfloat16>(gpu.context(), batch.arguments(), moved.data() + 1,
                                                          batch.bias.data(), nullptr, context.data(), nullptr)),
               std::logic_error);
}

}  // namespace
}  // namespace gausscse
