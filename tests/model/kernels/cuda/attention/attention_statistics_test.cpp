#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "tests/model/kernels/cuda/attention/attention_test.hpp"

namespace gausscse {
namespace {

using kernels::Bfloat16;

/// The statistics of a batch by their definition in float64, as two arrays; of sentences of one tile `no_result`.
struct Statistics {
  std::vector<double> largest, inverse_sum;

  template <typename T>
  explicit Statistics(const std::vector<T>& both) {
    for (std::size_t i = 0; i < both.size(); i += 2) {
      largest.push_back(as_double(both[i]));
      inverse_sum.push_back(as_double(both[i + 1]));
    }
  }
  template <typename T, typename Factor>
  explicit Statistics(const AttentionBatch<T, Factor>& batch) {
    const kernels::Attention& arguments = batch.arguments();
    const auto *offsets = arguments.shape.offsets, *attended = arguments.shape.attended;
    for (std::int64_t s = 0; s < arguments.shape.sentences; ++s) {
      const std::int64_t length = offsets[s + 1] - offsets[s], keys = attended ? attended[s] : length;
      for (std::int64_t query = 0; query < (arguments.first_token_only ? 1 : length); ++query)
        for (std::int64_t head = 0; head < arguments.heads; ++head) {
          const bool is_short = length <= 32;
          const auto [most, inverse] =
              is_short ? std::pair(no_result, no_result) : of_query(batch, offsets[s], query, keys, head);
          largest.push_back(most);
          inverse_sum.push_back(inverse);
        }
    }
  }

 private:
  /// Returns the largest score, and the inverse of the sum.
  template <typename T, typename Factor>
  static std::pair<double, double> of_query(const AttentionBatch<T, Factor>& batch, std::int64_t first,
                                            std::int64_t query, std::int64_t keys, std::int64_t head) {
    const std::int64_t hidden = batch.arguments().hidden, heads = batch.arguments().heads, width = hidden / heads;
    const auto value = [&](std::int64_t token, std::int64_t part, std::int64_t c) {
      const std::int64_t column = part * hidden + head * width + c;
      return as_double(batch.qkv[static_cast<std::size_t>((first + token) * 3 * hidden + column)]) +
             as_double(batch.bias[static_cast<std::size_t>(column)]);
    };
    const double root = std::sqrt(static_cast<double>(width));
    std::vector<double> scores;
    for (std::int64_t key = 0; key < keys; ++key) {
      double score = 0;
      for (std::int64_t c = 0; c < width; ++c) score += value(query, 0, c) * value(key, 1, c);
      const int bucket = kernels::relative_position_bucket(static_cast<int>(key - query));
      if (!batch.relative_bias.empty())
        score += root * as_double(batch.relative_bias[static_cast<std::size_t>(bucket * heads + head)]);
      scores.push_back(score);
    }
    const double most = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    for (const double score : scores) sum += std::exp((score - most) / root);
    return {most, 1 / sum};
  }
};

/// Expects that statistics of sentences of several tiles are near, and that none are written for other sentences.
template <typename T, typename Factor>
void expect_statistics(const AttentionCase& c) {
  const AttentionBatch<T, Factor> batch(c);
  const Statistics found(batch.forward().statistics), expected(batch);
  ASSERT_EQ(found.largest.size(), expected.largest.size());
  const double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-12;
  for (std::size_t i = 0; i < found.largest.size(); ++i) {
    const double near = expected.largest[i] == no_result ? 0 : tolerance;
    ASSERT_NEAR(found.largest[i], expected.largest[i], near * (1 + std::abs(expected.largest[i]))) << i;
    ASSERT_NEAR(found.inverse_sum[i], expected.inverse_sum[i], near) << i;
  }
}

TEST(CudaAttentionStatistics, AreThoseOfTheScores) {
  for (const bool first_token_only : {false, true})
    for (const bool relative : {false, true}) {
      SCOPED_TRACE(testing::Message() << first_token_only << relative);
      // What dropout leaves out counts, too.
      AttentionCase c{.lengths = {33, 5, 65, 64, 32, 1, 100},
                      .heads = 3,
                      .head_size = 8,
                      .dropout = 0.4,
                      .first_token_only = first_token_only,
                      .relative = relative};
      expect_statistics<double, double>(c);
      c.heads = 2;
      c.head_size = 5;
      expect_statistics<float, float>(c);
      expect_statistics<float, Bfloat16>(c);
      c.attended = {3, 5, 40, 64, 1, 1, 99};
      expect_statistics<double, double>(c);
    }
}

TEST(CudaAttentionStatistics, ByHand) {
  // Of two heads of four columns all scores are 0, but those of a token to itself in the second one log 3.
  constexpr std::int32_t length = 50;
  AttentionBatch<double, double> batch({.lengths = {length}, .heads = 2, .head_size = 4, .relative = true});
  std::fill(batch.qkv.begin(), batch.qkv.end(), 0.0);
  std::fill(batch.bias.begin(), batch.bias.end(), 0.0);
  std::fill(batch.relative_bias.begin(), batch.relative_bias.end(), 0.0);
  batch.relative_bias[1] = std::log(3.0);
  std::vector<double> expected;
  for (std::int32_t query = 0; query < length; ++query)
    expected.insert(expected.end(), {0, 1.0 / 50, 2 * std::log(3.0), 3.0 / (3 + 49)});
  expect_near(batch.forward().statistics, expected, 1e-14, "statistics");
}

/// The context of queries is the same with and without.
TEST(CudaAttentionStatistics, ChangeNoContext) {
  const AttentionBatch<float, float> batch({.lengths = {13, 70, 40}, .heads = 2, .head_size = 12, .dropout = 0.2});
  EXPECT_EQ(batch.forward().context, batch.context());
}

TEST(CudaAttentionStatistics, AreNeededForSentencesOfSeveralTiles) {
  const AttentionBatch<double, double> batch({.lengths = {3, 33}, .heads = 1, .head_size = 4});
  const auto forward = batch.forward();
  std::vector<double> grad_qkv(batch.qkv.size());
  const auto backward = [&](const double* context, const double* statistics) {
    GpuOnCpu gpu;
    kernels::cuda::attention_backward<double, double>(gpu.context(), batch.arguments(), batch.qkv.data(),
                                                      batch.bias.data(), nullptr, context, statistics,
                                                      batch.grad.data(), grad_qkv.data(), nullptr);
  };
  EXPECT_THROW(backward(nullptr, forward.statistics.data()), std::invalid_argument);
  EXPECT_THROW(backward(forward.context.data(), nullptr), std::invalid_argument);
  backward(forward.context.data(), forward.statistics.data());
  EXPECT_EQ(grad_qkv, batch.gradient().qkv);
}

}  // namespace
}  // namespace gausscse
