#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>

#include "model/sentence_encoder.hpp"
#include "tests/model/encoder/small_models.hpp"

namespace gausscse {
namespace {

using testing_support::RandomSentences;

PackedBatch pack(const RandomSentences& sentences, const SentenceEncoder& encoder) {
  return pack_sentences(sentences.ids, sentences.offsets, {}, encoder.position_offset());
}

struct Case {
  EncoderConfig::Architecture architecture;
  bool dropout;
};

class EncoderGradient : public testing::TestWithParam<Case> {};

/// Each parameter tensor's gradient, along a random direction, against a central difference in float64.
TEST_P(EncoderGradient, EqualsCentralDifferences) {
  SentenceEncoder encoder(testing_support::small_settings(GetParam().architecture, at::kDouble));
  testing_support::randomize(encoder.parameters(), 5);
  const PackedBatch batch = pack(testing_support::random_sentences(5, 3), encoder);
  const DropoutStep step = DropoutStep::of(11, 4);
  const DropoutStep* dropout = GetParam().dropout ? &step : nullptr;
  at::manual_seed(1);
  const at::Tensor weights = at::randn({5, 2 * encoder.dimension()}, at::kDouble);
  const auto loss = [&] {
    encoder.parameters_changed();
    return (encoder.forward(batch, dropout, false) * weights).sum().item<double>();
  };

  encoder.parameters().gradients().zero_();
  encoder.forward(batch, dropout, true);
  encoder.backward(batch, weights.clone());
  for (const ParameterSpec& spec : encoder.parameters().specs()) {
    at::Tensor value = encoder.parameters().value(spec.name);
    const at::Tensor direction = at::randn(value.sizes(), at::kDouble);
    const double expected = (encoder.parameters().gradient(spec.name) * direction).sum().item<double>();
    constexpr double step_size = 1e-6;
    const at::Tensor before = value.clone();
    value.copy_(before + step_size * direction);
    const double above = loss();
    value.copy_(before - step_size * direction);
    const double below = loss();
    value.copy_(before);
    EXPECT_NEAR(expected, (above - below) / (2 * step_size), 1e-6 * (1 + std::abs(expected))) << spec.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, EncoderGradient,
                         testing::Values(Case{EncoderConfig::Architecture::bert, false},
                                         Case{EncoderConfig::Architecture::bert, true},
                                         Case{EncoderConfig::Architecture::roberta, true}));

TEST(Encoder, SentenceDoesNotDependOnItsCompany) {
  SentenceEncoder encoder(testing_support::small_settings(EncoderConfig::Architecture::bert, at::kDouble));
  testing_support::randomize(encoder.parameters(), 5);
  const RandomSentences all = testing_support::random_sentences(7, 9);
  const DropoutStep step = DropoutStep::of(1, 2);
  const at::Tensor together = encoder.forward(pack(all, encoder), &step, false).clone();
  for (std::size_t s = 0; s < 7; ++s) {
    const std::vector<std::uint32_t> ids(all.ids.begin() + all.offsets[s], all.ids.begin() + all.offsets[s + 1]);
    const std::vector<std::uint32_t> offsets{0, static_cast<std::uint32_t>(ids.size())};
    const std::vector<std::uint32_t> samples{static_cast<std::uint32_t>(s)};
    const at::Tensor alone =
        encoder.forward(pack_sentences(ids, offsets, samples, encoder.position_offset()), &step, false);
    EXPECT_LE((alone[0] - together[static_cast<std::int64_t>(s)]).abs().max().item<double>(), 1e-12);
  }
}

TEST(Encoder, DropoutChangesWithTheStep) {
  SentenceEncoder encoder(testing_support::small_settings(EncoderConfig::Architecture::bert, at::kDouble));
  testing_support::randomize(encoder.parameters(), 5);
  const PackedBatch batch = pack(testing_support::random_sentences(3, 9), encoder);
  const DropoutStep one = DropoutStep::of(1, 1), two = DropoutStep::of(1, 2);
  const at::Tensor first = encoder.forward(batch, &one, false).clone();
  const at::Tensor second = encoder.forward(batch, &two, false).clone();
  const at::Tensor again = encoder.forward(batch, &one, false).clone();
  EXPECT_GT((first - second).abs().max().item<double>(), 1e-3);
  EXPECT_TRUE(at::equal(first, again));
}

TEST(Encoder, LastLayerOfFirstTokensIsThatOfAllTokens) {
  const SentenceEncoderSettings settings =
      testing_support::small_settings(EncoderConfig::Architecture::bert, at::kDouble);
  SentenceEncoder sentence_encoder(settings);
  ParameterStore& parameters = sentence_encoder.parameters();
  testing_support::randomize(parameters, 5);
  MatrixProducts products(parameters.values(), Precision::full);
  Encoder encoder(settings.encoder, parameters, products);
  const PackedBatch batch = pack(testing_support::random_sentences(6, 2), sentence_encoder);
  const DropoutStep step = DropoutStep::of(1, 1);
  const at::Tensor all = encoder.forward(batch, Encoder::Output::all_tokens, &step, false).clone();
  const at::Tensor first = encoder.forward(batch, Encoder::Output::first_tokens, &step, false);
  EXPECT_LE((all.index_select(0, batch.first_tokens) - first).abs().max().item<double>(), 1e-12);
}

TEST(MatrixProductsTest, RoundedWayMultipliesBfloat16Numbers) {
  at::manual_seed(3);
  const at::Tensor weights = at::randn({6 * 8}, at::kFloat);
  const at::Tensor weight = weights.view({6, 8}), x = at::randn({5, 8}, at::kFloat);
  const at::Tensor expected = at::mm(x.to(at::kBFloat16).to(at::kDouble), weight.to(at::kBFloat16).to(at::kDouble).t());
  for (const auto way : {MatrixProducts::Bfloat16Way::rounded, MatrixProducts::Bfloat16Way::native}) {
    MatrixProducts products(weights, Precision::bfloat16, way);
    at::Tensor out = at::empty({5, 6}, at::kFloat);
    products.forward(products.prepare(x, 0), weight, out);
    // The native way rounds the result to bfloat16, too: 8 bits.
    const double bound = way == MatrixProducts::Bfloat16Way::rounded ? 1e-6 : 1.0 / 256;
    EXPECT_LE(((out.to(at::kDouble) - expected) / expected.abs().clamp_min(1)).abs().max().item<double>(), bound);
    EXPECT_GT((out.to(at::kDouble) - at::mm(x, weight.t()).to(at::kDouble)).abs().max().item<double>(), 1e-4);
  }
}

}  // namespace
}  // namespace gausscse
