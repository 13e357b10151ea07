#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

#include "base/philox.hpp"
#include "model/ops/ops.hpp"
#include "tests/model/encoder/small_models.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

constexpr std::int64_t rows = 2000, hidden = 512;
constexpr std::uint64_t seed = 11;

/// Returns the mask of a site as the kernels apply it, factors of [rows, hidden]: row r is token r % 8 of sentence r /
/// 8. A layer norm of scale 0 and shift 1 gives ones, which dropout then acts on.
at::Tensor mask(std::uint64_t of_seed, std::uint64_t step, std::uint32_t site, double probability) {
  const at::Tensor numbers = at::arange(rows, at::kInt);
  const at::Tensor sentences = numbers.floor_divide(8).contiguous(), positions = numbers.remainder(8).contiguous();
  const std::vector<std::int64_t> shard{0, rows};
  const at::Tensor x = at::randn({rows, hidden}, at::kFloat);
  at::Tensor out = at::empty_like(x);
  ops::add_layer_norm({}, {}, x, {at::zeros({hidden}, at::kFloat), at::ones({hidden}, at::kFloat)}, 1e-12,
                      {{}, DropoutSite::of(DropoutStep::of(of_seed, step), site, probability)},
                      {sentences, positions, {shard.data(), 1}}, {out, out, {}}, {});
  return out;
}

double share(const at::Tensor& condition) {
  return condition.to(at::kDouble).mean().item<double>();
}

TEST(Dropout, ZeroesItsShareAndScalesTheRest) {
  for (const double probability : {0.1, 0.25, 0.5}) {
    const at::Tensor factors = mask(seed, 3, 4, probability);
    // Five deviations of a share of a million draws.
    const double spread = 5 * std::sqrt(probability * (1 - probability) / static_cast<double>(rows * hidden));
    EXPECT_NEAR(share(factors == 0), probability, spread);
    const at::Tensor kept = factors.masked_select(factors != 0);
    EXPECT_TRUE((kept == static_cast<float>(1 / (1 - probability))).all().item<bool>()) << probability;
    // No column, no row and no half of the rows is spared.
    EXPECT_LT((factors == 0).to(at::kDouble).mean(0).max().item<double>(), probability + 0.1);
    EXPECT_GT((factors == 0).to(at::kDouble).mean(0).min().item<double>(), probability - 0.1);
  }
  EXPECT_TRUE((mask(seed, 3, 4, 0) == 1).all().item<bool>());
}

TEST(Dropout, IsIndependentBetweenSeedsStepsSitesSentencesAndTokens) {
  const double probability = 0.25, both = probability * probability;
  const double spread = 5 * std::sqrt(both / static_cast<double>(rows * hidden));
  const at::Tensor one = mask(seed, 3, 4, probability) == 0;
  EXPECT_TRUE(one.equal(mask(seed, 3, 4, probability) == 0));
  const auto dropped_together = [&](const at::Tensor& other) { return share(one.logical_and(other)); };
  EXPECT_NEAR(dropped_together(mask(seed + 1, 3, 4, probability) == 0), both, spread);
  EXPECT_NEAR(dropped_together(mask(seed, 4, 4, probability) == 0), both, spread);
  EXPECT_NEAR(dropped_together(mask(seed, 3, 5, probability) == 0), both, spread);
  EXPECT_NEAR(dropped_together(one.roll({1}, {0})), both, spread) << "the next token";
  EXPECT_NEAR(dropped_together(one.roll({8}, {0})), both, spread) << "the same token of the next sentence";
  EXPECT_NEAR(dropped_together(one.roll({1}, {1})), both, spread) << "the next element";
  EXPECT_NEAR(dropped_together(one.roll({64}, {1})), both, spread) << "the next group of elements";
}

/// Element e takes word (e / 16) % 4 of counter {16 * (e / 64) + e % 16, position, sentence, site}, as
/// tests/golden/bert_with_masks.py has it.
TEST(Dropout, DrawsTheWordsThatItsDefinitionNames) {
  const double probability = 0.1;
  const at::Tensor factors = mask(seed, 3, 4, probability);
  const PhiloxKey key = DropoutStep::of(seed, 3).key;
  const auto threshold = static_cast<std::uint32_t>(probability * 0x1p32);
  for (std::int64_t row = 0; row < rows; row += 97) {
    for (std::int64_t e = 0; e < hidden; ++e) {
      const auto lane = static_cast<std::uint32_t>(16 * (e / 64) + e % 16);
      const auto words =
          philox({lane, static_cast<std::uint32_t>(row % 8), static_cast<std::uint32_t>(row / 8), 4}, key);
      ASSERT_EQ(factors[row][e].item<float>() == 0, words[static_cast<std::size_t>(e / 16 % 4)] < threshold)
          << row << " " << e;
    }
  }
}

TEST(Dropout, AttentionAndHiddenStatesHaveTheirOwnProbabilities) {
  const auto sentences = random_sentences(5, 1);
  const PackedBatch batch = pack_sentences(sentences.ids, sentences.offsets, {}, 0);
  const DropoutStep step = DropoutStep::of(seed, 3);
  const auto embed = [&](double of_hidden, double of_attention) {
    auto settings = small_settings(EncoderConfig::Architecture::bert, at::kDouble);
    settings.encoder.hidden_dropout = of_hidden;
    settings.encoder.attention_dropout = of_attention;
    SentenceEncoder encoder(settings);
    randomize(encoder.parameters(), 1);
    return encoder.forward(batch, &step, nullptr).clone();
  };
  const std::vector<at::Tensor> rows_of{embed(0, 0), embed(0.4, 0), embed(0, 0.4), embed(0.4, 0.4)};
  for (std::size_t i = 0; i < rows_of.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) EXPECT_FALSE(rows_of[i].equal(rows_of[k])) << i << " " << k;
}

}  // namespace
}  // namespace gausscse
