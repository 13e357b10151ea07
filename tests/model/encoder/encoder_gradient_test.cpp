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
    return (encoder.forward(batch, dropout, nullptr) * weights).sum().item<double>();
  };

  encoder.parameters().gradients().zero_();
  SentenceActivations activations;
  encoder.forward(batch, dropout, &activations);
  encoder.backward(activations, weights.clone());
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
  const at::Tensor together = encoder.forward(pack(all, encoder), &step, nullptr).clone();
  for (std::size_t s = 0; s < 7; ++s) {
    const std::vector<std::uint32_t> ids(all.ids.begin() + all.offsets[s], all.ids.begin() + all.offsets[s + 1]);
    const std::vector<std::uint32_t> offsets{0, static_cast<std::uint32_t>(ids.size())};
    const std::vector<std::uint32_t> samples{static_cast<std::uint32_t>(s)};
    const at::Tensor alone =
        encoder.forward(pack_sentences(ids, offsets, samples, encoder.position_offset()), &step, nullptr);
    EXPECT_LE((alone[0] - together[static_cast<std::int64_t>(s)]).abs().max().item<double>(), 1e-12);
  }
}

TEST(Encoder, DropoutChangesWithTheStep) {
  SentenceEncoder encoder(testing_support::small_settings(EncoderConfig::Architecture::bert, at::kDouble));
  testing_support::randomize(encoder.parameters(), 5);
  const PackedBatch batch = pack(testing_support::random_sentences(3, 9), encoder);
  const DropoutStep one = DropoutStep::of(1, 1), two = DropoutStep::of(1, 2);
  const at::Tensor first = encoder.forward(batch, &one, nullptr).clone();
  const at::Tensor second = encoder.forward(batch, &two, nullptr).clone();
  const at::Tensor again = encoder.forward(batch, &one, nullptr).clone();
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
  const at::Tensor all = encoder.forward(batch, EncoderOutput::all_tokens, &step, nullptr).clone();
  const at::Tensor first = encoder.forward(batch, EncoderOutput::first_tokens, &step, nullptr);
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

/// Several tiles each way, the last ones cut short.
TEST(MatrixProductsTest, FixedTilesCoverTheProducts) {
  at::manual_seed(4);
  constexpr std::int64_t rows = 2100, in = 200, out = 450;
  const at::Tensor weights = at::randn({out * in}, at::kFloat), weight = weights.view({out, in});
  const at::Tensor x = at::randn({rows, in}, at::kFloat), grad = at::randn({rows, out}, at::kFloat);
  using Way = MatrixProducts::Bfloat16Way;
  for (const auto& [precision, way] :
       {std::pair(Precision::full, Way::fastest), std::pair(Precision::bfloat16, Way::rounded),
        std::pair(Precision::bfloat16, Way::native)}) {
    std::vector<std::vector<at::Tensor>> results;
    for (const bool fixed_tiles : {false, true}) {
      MatrixProducts products(weights, precision, way, fixed_tiles);
      const at::Tensor forward = at::empty({rows, out}, at::kFloat), input_gradient = at::ones({rows, in}, at::kFloat);
      const at::Tensor weight_gradient = at::ones({out, in}, at::kFloat);
      products.forward(products.prepare(x, 0), weight, forward, at::ones({out}, at::kFloat));
      const MatrixProducts::Factor factor = products.prepare(grad, 1);
      products.input_gradient(factor, weight, input_gradient, true);
      products.weight_gradient(factor, products.prepare(x, 0), weight_gradient);
      results.push_back({forward, input_gradient, weight_gradient});
    }
    // The native way rounds each tile's result to bfloat16.
    const double bound = way == Way::native ? 1.0 / 128 : 1e-4;
    for (std::size_t i = 0; i < results[0].size(); ++i)
      EXPECT_LE(((results[1][i] - results[0][i]) / results[0][i].abs().clamp_min(1)).abs().max().item<double>(), bound)
          << i;
  }
}

}  // namespace
}  // namespace gausscse
