#include "tests/model/kernels/cuda/attention/attention_test.hpp"

#include <stdexcept>

namespace gausscse {
namespace {

const Lengths short_lengths{1, 15, 16, 17, 31, 32, 4, 8, 9}, short_and_long{33, 5, 65, 64, 32, 1};

TEST(CudaAttention, OfShortSentencesIsThatOfTheCpuInFloat64) {
  expect_all<double, double, double, double>({.lengths = short_lengths, .heads = 3, .head_size = 8});
  expect_all<double, double, double, double>({.lengths = {3, 20}, .heads = 1, .head_size = 20});
  expect_all<double, double, double, double>({.lengths = {17, 9}, .heads = 3, .head_size = 32});
  expect_all<double, double, double, double>({.lengths = {12, 30}, .heads = 1, .head_size = 64});
}

TEST(CudaAttention, OfLongSentencesIsThatOfTheCpuInFloat64) {
  expect_all<double, double, double, double>({.lengths = short_and_long, .heads = 3, .head_size = 8});
  expect_all<double, double, double, double>({.lengths = {40}, .heads = 1, .head_size = 20});
  expect_all<double, double, double, double>({.lengths = {7, 49}, .heads = 2, .head_size = 64});
}

TEST(CudaAttention, OfTheLongestSentenceIsThatOfTheCpuInFloat64) {
  using kernels::Bfloat16;
  AttentionCase c{.lengths = {2, 512}, .heads = 1, .head_size = 4, .dropout = 0.3};
  expect_case<double, double, double, double>(c);
  expect_case<float, float, double, double>(c);
  expect_case<float, Bfloat16, float, Bfloat16>(c);
  c.relative = true;
  expect_case<double, double, double, double>(c);
  c.first_token_only = true;
  expect_case<double, double, double, double>(c);
}

TEST(CudaAttention, OfHeadsOfAnySizeIsThatOfTheCpuInFloat64) {
  for (const std::int64_t head_size : {1, 7, 33, 66, 128}) {
    const AttentionCase c{.lengths = {11, 35}, .heads = 2, .head_size = head_size, .dropout = 0.3};
    expect_case<double, double, double, double>(c);
  }
}

TEST(CudaAttention, InFloat32IsNearFloat64) {
  expect_all<float, float, double, double>({.lengths = short_lengths, .heads = 1, .head_size = 32});
  expect_all<float, float, double, double>({.lengths = short_and_long, .heads = 1, .head_size = 20});
  // Wide enough that a thread reads more than two rows of a tile.
  expect_case<float, float, double, double>({.lengths = {30, 35}, .heads = 1, .head_size = 64});
}

TEST(CudaAttention, InBfloat16IsNearThatOfTheCpu) {
  using kernels::Bfloat16;
  expect_all<float, Bfloat16, float, Bfloat16>({.lengths = short_lengths, .heads = 1, .head_size = 32});
  expect_all<float, Bfloat16, float, Bfloat16>({.lengths = short_and_long, .heads = 1, .head_size = 20});
}

const Lengths with_far_keys{100, 17, 130, 33, 32, 1};

TEST(CudaAttention, WithRelativePositionsIsThatOfTheCpuInFloat64) {
  expect_all<double, double, double, double>({.lengths = short_lengths, .heads = 3, .head_size = 8, .relative = true});
  expect_all<double, double, double, double>({.lengths = short_and_long, .heads = 3, .head_size = 8, .relative = true});
  expect_all<double, double, double, double>({.lengths = with_far_keys, .heads = 2, .head_size = 5, .relative = true});
  for (const std::int64_t head_size : {1, 33, 66, 128})
    expect_case<double, double, double, double>(
        {.lengths = {11, 35}, .heads = 2, .head_size = head_size, .dropout = 0.3, .relative = true});
}

TEST(CudaAttention, WithRelativePositionsInFloat32AndBfloat16) {
  using kernels::Bfloat16;
  expect_all<float, float, double, double>({.lengths = short_lengths, .heads = 1, .head_size = 32, .relative = true});
  expect_all<float, float, double, double>({.lengths = with_far_keys, .heads = 1, .head_size = 20, .relative = true});
  expect_all<float, Bfloat16, float, Bfloat16>(
      {.lengths = with_far_keys, .heads = 1, .head_size = 20, .relative = true});
}

/// Windows that end within a tile, at its end, and before some query's own tile.
TEST(CudaAttention, ToNearKeysIsThatOfTheCpuInFloat64) {
  for (const std::int64_t farthest : {0, 7, 31, 40}) {
    expect_all<double, double, double, double>(
        {.lengths = {100, 17, 32, 9, 41, 1}, .heads = 2, .head_size = 8, .farthest = farthest});
    expect_case<float, float, double, double>(
        {.lengths = {100, 30}, .heads = 1, .head_size = 20, .dropout = 0.3, .relative = true, .farthest = farthest});
  }
}

/// Biases of zero are none, but for the gradient.
TEST(CudaAttention, WithRelativeBiasesOfZeroHasTheBitsOfNone) {
  const AttentionCase c{.lengths = {13, 18, 44, 2, 31}, .heads = 2, .head_size = 12, .dropout = 0.2};
  AttentionCase with = c;
  with.relative = true;
  AttentionBatch<float, float> zeros(with);
  std::fill(zeros.relative_bias.begin(), zeros.relative_bias.end(), 0.0f);
  const AttentionBatch<float, float> none(c);
  EXPECT_EQ(zeros.context(), none.context());
  EXPECT_EQ(zeros.gradient().qkv, none.gradient().qkv);
  EXPECT_NE(zeros.gradient().relative, std::vector<float>(zeros.gradient().relative.size(), float{there_before}));
}

TEST(CudaAttention, ToTheFirstTokensOfASentence) {
  for (const bool first_token_only : {false, true})
    for (const double dropout : {0.0, 0.3}) {
      AttentionCase c{.lengths = {20, 70, 33, 5, 32},
                      .heads = 2,
                      .head_size = 8,
                      .dropout = dropout,
                      .first_token_only = first_token_only,
                      .attended = {17, 34, 3, 5, 1}};
      expect_case<double, double, double, double>(c);
      expect_case<float, float, double, double>(c);
      c.relative = true;
      expect_case<double, double, double, double>(c);
    }
}

/// Fibers find other faults in another order; and the bits do not depend on it.
TEST(CudaAttention, HasTheSameBitsInAnyOrder) {
  for (const bool relative : {false, true}) {
    const AttentionBatch<float, float> batch(
        {.lengths = {13, 18, 44, 2, 31}, .heads = 2, .head_size = 12, .dropout = 0.2, .relative = relative});
    const auto context = batch.context();
    const auto gradient = batch.gradient();
    for_each_order([&] {
      EXPECT_EQ(batch.context(), context);
      batch.gradient().expect_equal(gradient);
    });
  }
}

TEST(CudaAttention, OfNothing) {
  for (const bool first_token_only : {false, true}) {
    AttentionCase c{.lengths = {}, .heads = 2, .head_size = 8, .dropout = 0.3, .first_token_only = first_token_only};
    expect_case<double, double, double, double>(c);
    c.relative = true;
    expect_case<double, double, double, double>(c);
  }
  // Sentences without tokens next to others: these are as they are without them.
  const AttentionBatch<double, double> with({.lengths = {0, 3, 0, 40, 0}, .heads = 1, .head_size = 8}),
      without({.lengths = {3, 40}, .heads = 1, .head_size = 8});
  EXPECT_EQ(with.context(), without.context());
  with.gradient().expect_equal(without.gradient());
}

TEST(CudaAttention, ByHand) {
  // Two tokens, one head of one column: query 1 of token 1 has scores 1 * 0 and 1 * log 3, weights 1/4 and 3/4.
  const double log_3 = std::log(3.0);
  const std::vector<double> qkv{0, -1, 10, 1, log_3 - 1, 18}, bias{0, 1, 2}, grad{0, 1};
  const PackedSentences packed({2});
  const kernels::Attention arguments{packed.shape(), 1, 1, false, {}};
  std::vector<double> context(2), grad_qkv(6);
  GpuOnCpu gpu;
  kernels::cuda::attention<double, double>(gpu.context(), arguments, qkv.data(), bias.data(), nullptr, context.data(),
                                           nullptr);
  expect_near(context, std::vector<double>{16, 18}, 1e-14, "context");
  kernels::cuda::attention_backward<double, double>(gpu.context(), arguments, qkv.data(), bias.data(), nullptr, nullptr,
                                                    nullptr, grad.data(), grad_qkv.data(), nullptr);
  // Gradients of its weights are the values 12 and 20, and of its scores 1/4 (12 - 18) and 3/4 (20 - 18).
  expect_near(grad_qkv, std::vector<double>{0, -1.5, 0.25, 1.5 * log_3, 1.5, 0.75}, 1e-14, "gradient");
}

TEST(CudaAttention, WithRelativePositionsByHand) {
  // No queries and no keys, so that scores are the biases: of token 0 those of offsets 0 and 1, of token 1 those of -1
  // and 0, with weights 1/4 and 3/4, 1/3 and 2/3.
  const std::vector<double> qkv{0, 0, 12, 0, 0, 24}, bias{0, 0, 0}, grad{4, 9};
  std::vector<double> table(kernels::relative_position_buckets);
  table[0] = std::log(2.0);
  table[17] = std::log(6.0);
  const PackedSentences packed({2});
  const kernels::Attention arguments{packed.shape(), 1, 1, false, {}};
  std::vector<double> context(2), grad_qkv(6), grad_table(table.size());
  GpuOnCpu gpu;
  kernels::cuda::attention<double, double>(gpu.context(), arguments, qkv.data(), bias.data(), table.data(),
                                           context.data(), nullptr);
  expect_near(context, std::vector<double>{21, 20}, 1e-13, "context");
  kernels::cuda::attention_backward<double, double>(gpu.context(), arguments, qkv.data(), bias.data(), table.data(),
                                                    nullptr, nullptr, grad.data(), grad_qkv.data(), grad_table.data());
  // Of token 0's scores 4 * 1/4 * 3/4 * (12 - 24) and the opposite, of token 1's 9 * 1/3 * 2/3 * (12 - 24).
  std::vector<double> expected(table.size());
  expected[0] = -9 + 24;
  expected[17] = 9;
  expected[1] = -24;
  expect_near(grad_table, expected, 1e-13, "gradient");
}

TEST(CudaAttention, DropsTheSameProbabilitiesAsTheCpu) {
  // Equal keys, and values that are the rows of a unit matrix: the context is the dropped probabilities.
  for (const std::int32_t length : {7, 16, 25, 50}) {
    AttentionBatch<double, double> batch({.lengths = {length}, .heads = 1, .head_size = length, .dropout = 0.4});
    std::fill(batch.qkv.begin(), batch.qkv.end(), 0.0);
    std::fill(batch.bias.begin(), batch.bias.end(), 0.0);
    for (std::int64_t i = 0; i < length; ++i)
      batch.qkv[static_cast<std::size_t>((3 * i + 2) * length + i)] = static_cast<double>(length);
    const auto context = batch.context();
    const kernels::Attention& arguments = batch.arguments();
    const int padded = (length + 15) / 16 * 16;
    for (std::int32_t query = 0; query < length; ++query)
      for (std::int32_t key = 0; key < length; ++key) {
        const auto element = static_cast<std::uint32_t>(query * padded + key);
        const std::uint32_t word = kernels::dropout_word(arguments.dropout, arguments.shape.samples[0], 0, element);
        const double expected = word >= arguments.dropout.threshold ? 1 / 0.6 : 0.0;
        ASSERT_NEAR(context[static_cast<std::size_t>(query * length + key)], expected, 1e-13) << query << ", " << key;
      }
  }
}

TEST(CudaAttention, ReadsMatricesThatAreNotAlignedInFours) {
  const AttentionBatch<float, float> batch({.lengths = {18, 34}, .heads = 2, .head_size = 8});
  const auto one_behind = [](const std::vector<float>& values) {
    std::vector<float> moved{0};
    moved.insert(moved.end(), values.begin(), values.end());
    return moved;
  };
  const auto qkv = one_behind(batch.qkv), bias = one_behind(batch.bias), grad = one_behind(batch.grad);
  std::vector<float> context(batch.grad.size()), grad_qkv(batch.qkv.size()),
      statistics(batch.forward().statistics.size());
  GpuOnCpu gpu;
  kernels::cuda::attention<float, float>(gpu.context(), batch.arguments(), qkv.data() + 1, bias.data() + 1, nullptr,
                                         context.data(), statistics.data());
  kernels::cuda::attention_backward<float, float>(gpu.context(), batch.arguments(), qkv.data() + 1, bias.data() + 1,
                                                  nullptr, context.data(), statistics.data(), grad.data() + 1,
                                                  grad_qkv.data(), nullptr);
  EXPECT_EQ(context, batch.context());
  EXPECT_EQ(grad_qkv, batch.gradient().qkv);
}

TEST(CudaAttention, NamesAHeadThatIsTooWide) {
  const AttentionBatch<float, float> batch({.lengths = {1}, .heads = 1, .head_size = 129});
  EXPECT_THROW(batch.context(), std::invalid_argument);
  EXPECT_THROW(batch.gradient({}), std::invalid_argument);
}

}  // namespace
}  // namespace gausscse
