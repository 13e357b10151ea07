#include "model/kernels/relative_position.hpp"

#include "base/philox.hpp"
#include "model/kernels/kernels.hpp"
#include "model/weights/safetensors.hpp"
#include "tests/support/testing.hpp"

namespace gausscse::kernels {
namespace {

TEST(RelativePosition, BucketsAreThoseOfTransformers) {
  const SafetensorsFile file = SafetensorsFile::open(golden("encoder/tiny-mpnet.safetensors"));
  const TensorEntry* entry = file.find("buckets");
  ASSERT_NE(entry, nullptr);
  std::vector<std::int32_t> expected(1201);
  ASSERT_EQ(entry->bytes.size(), expected.size() * sizeof(std::int32_t));
  std::memcpy(expected.data(), entry->bytes.data(), entry->bytes.size());
  for (int offset = -600; offset <= 600; ++offset)
    EXPECT_EQ(relative_position_bucket(offset), expected[static_cast<std::size_t>(offset + 600)]) << offset;
}

TEST(RelativePosition, ABucketHasTheOffsetsThatHaveIt) {
  for (const int farthest : {0, 5, 90, 91, 200}) {
    std::vector<int> buckets_of(static_cast<std::size_t>(2 * farthest + 1));
    for (int bucket = 0; bucket < relative_position_buckets; ++bucket) {
      const OffsetRange range = offsets_of_bucket(bucket, farthest);
      for (int offset = -farthest; offset <= farthest; ++offset) {
        const bool inside = range.least <= offset && offset <= range.most;
        EXPECT_EQ(inside, relative_position_bucket(offset) == bucket) << bucket << ", " << offset;
        buckets_of[static_cast<std::size_t>(std::int64_t{offset} + farthest)] += inside ? 1 : 0;
      }
    }
    EXPECT_EQ(buckets_of, std::vector<int>(buckets_of.size(), 1)) << farthest;
  }
}

std::vector<double> random_values(std::int64_t count, std::uint64_t seed) {
  PhiloxStream stream(seed, 9);
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) value = 2 * stream.uniform() - 1;
  return values;
}

/// Two sentences, the first long enough for all buckets.
constexpr std::int32_t offsets[] = {0, 100, 107};
constexpr std::uint32_t samples[] = {4, 9};
constexpr std::int64_t sentences = 2, tokens = 107, heads = 2, head_size = 3, hidden = heads * head_size;

/// Returns one head of one sentence by the definition: probabilities [queries, keys] of queries and keys with their
/// bias.
std::vector<double> probabilities_of(const std::vector<double>& qkv, const std::vector<double>& table,
                                     std::int64_t head, std::int64_t first, std::int64_t length) {
  std::vector<double> p(static_cast<std::size_t>(length * length));
  const auto value = [&](std::int64_t token, std::int64_t part, std::int64_t c) {
    return qkv[static_cast<std::size_t>((first + token) * 3 * hidden + part * hidden + head * head_size + c)];
  };
  for (std::int64_t i = 0; i < length; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < length; ++j) {
      double score = 0;
      for (std::int64_t c = 0; c < head_size; ++c) score += value(i, 0, c) * value(j, 1, c);
      score = score / std::sqrt(double{head_size}) +
              table[static_cast<std::size_t>(relative_position_bucket(static_cast<int>(j - i)) * heads + head)];
      sum += p[static_cast<std::size_t>(i * length + j)] = std::exp(score);
    }
    for (std::int64_t j = 0; j < length; ++j) p[static_cast<std::size_t>(i * length + j)] /= sum;
  }
  return p;
}

class RelativeBiasOfAttention : public testing::TestWithParam<bool> {
 protected:
  const bool first_token_only = GetParam();
  const std::int64_t rows = first_token_only ? sentences : tokens;
  const Attention arguments{{offsets, samples, sentences, tokens, 100}, hidden, heads, first_token_only, {}};
  const std::vector<double> qkv = random_values(tokens * 3 * hidden, 1), no_bias = std::vector<double>(3 * hidden),
                            table = random_values(relative_position_buckets * heads, 2),
                            grad = random_values(rows * hidden, 3);

  std::vector<double> context(const std::vector<double>& of_table) const {
    std::vector<double> out(static_cast<std::size_t>(rows * hidden));
    kernel_table<double>().attention(on_cpu, arguments, qkv.data(), no_bias.data(), of_table.data(), out.data(),
                                     nullptr);
    return out;
  }
};

TEST_P(RelativeBiasOfAttention, IsAddedToScaledScores) {
  const std::vector<double> given = context(table);
  for (std::int64_t s = 0; s < sentences; ++s)
    for (std::int64_t head = 0; head < heads; ++head) {
      const std::int64_t first = offsets[s], length = offsets[s + 1] - first;
      const std::vector<double> p = probabilities_of(qkv, table, head, first, length);
      for (std::int64_t i = 0; i < (first_token_only ? 1 : length); ++i)
        for (std::int64_t c = 0; c < head_size; ++c) {
          double expected = 0;
          for (std::int64_t j = 0; j < length; ++j)
            expected += p[static_cast<std::size_t>(i * length + j)] *
                        qkv[static_cast<std::size_t>((first + j) * 3 * hidden + 2 * hidden + head * head_size + c)];
          const std::int64_t row = first_token_only ? s : first + i;
          ASSERT_NEAR(given[static_cast<std::size_t>(row * hidden + head * head_size + c)], expected, 1e-12)
              << s << ", " << head << ", " << i;
        }
    }
}

/// The gradient of each sentence by itself is added to the values in its place; central differences give it, too.
TEST_P(RelativeBiasOfAttention, HasTheGradientOfEachSentence) {
  constexpr std::int64_t size = relative_position_buckets * heads;
  std::vector<double> grad_qkv(qkv.size()), grad_table(static_cast<std::size_t>(sentences * size), 7.0);
  kernel_table<double>().attention_backward(on_cpu, arguments, qkv.data(), no_bias.data(), table.data(), nullptr,
                                            nullptr, grad.data(), grad_qkv.data(), grad_table.data());
  constexpr double step = 1e-6;
  for (std::int64_t entry = 0; entry < size; ++entry) {
    std::vector<double> above = table, below = table;
    above[static_cast<std::size_t>(entry)] += step;
    below[static_cast<std::size_t>(entry)] -= step;
    const std::vector<double> high = context(above), low = context(below);
    for (std::int64_t s = 0; s < sentences; ++s) {
      const std::int64_t begin = first_token_only ? s : offsets[s], end = first_token_only ? s + 1 : offsets[s + 1];
      double expected = 7;
      for (auto i = static_cast<std::size_t>(begin * hidden); i < static_cast<std::size_t>(end * hidden); ++i)
        expected += grad[i] * (high[i] - low[i]) / (2 * step);
      EXPECT_NEAR(grad_table[static_cast<std::size_t>(s * size + entry)], expected, 1e-8) << s << ", " << entry;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Queries, RelativeBiasOfAttention, testing::Bool());

}  // namespace
}  // namespace gausscse::kernels
