#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/randn.h>

#include "model/matmul/cpu/matmuls.hpp"
#include "model/sentence_encoder.hpp"
#include "tests/model/encoder/small_models.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

PackedBatch pack(const RandomSentences& sentences, const SentenceEncoder& encoder) {
  return pack_sentences(sentences.ids, sentences.offsets, {}, encoder.position_offset());
}

struct Case {
  EncoderConfig::Architecture architecture;
  bool dropout;
  HeadSettings head = {};
  PoolingKind pooling = PoolingKind::first_token;
};

class EncoderGradient : public testing::TestWithParam<Case> {};

/// Each parameter tensor's gradient, along a random direction, against a central difference in float64.
TEST_P(EncoderGradient, EqualsCentralDifferences) {
  SentenceEncoderSettings settings = small_settings(GetParam().architecture, at::kDouble);
  settings.head = GetParam().head;
  settings.pooling = GetParam().pooling;
  SentenceEncoder encoder(settings);
  randomize(encoder.parameters(), 5);
  const PackedBatch batch = pack(random_sentences(5, 3), encoder);
  const DropoutStep step = DropoutStep::of(11, 4);
  const DropoutStep* dropout = GetParam().dropout ? &step : nullptr;
  at::manual_seed(1);
  const at::Tensor weights = at::randn({5, encoder.width()}, at::kDouble);
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

INSTANTIATE_TEST_SUITE_P(
    Cases, EncoderGradient,
    testing::Values(Case{EncoderConfig::Architecture::bert, false}, Case{EncoderConfig::Architecture::bert, true},
                    Case{EncoderConfig::Architecture::roberta, true}, Case{EncoderConfig::Architecture::mpnet, false},
                    Case{EncoderConfig::Architecture::mpnet, true}, Case{EncoderConfig::Architecture::distilbert, true},
                    Case{EncoderConfig::Architecture::modernbert, false},
                    Case{EncoderConfig::Architecture::modernbert, true, {}, PoolingKind::mean},
                    Case{EncoderConfig::Architecture::nomic_bert, true},
                    Case{EncoderConfig::Architecture::bert, true, {HeadKind::gaussian, MeanLayer::linear}},
                    Case{EncoderConfig::Architecture::bert,
                         true,
                         {HeadKind::gaussian, MeanLayer::identity, MeanScale::unit},
                         PoolingKind::mean},
                    Case{EncoderConfig::Architecture::bert,
                         true,
                         {HeadKind::gaussian, MeanLayer::tanh, MeanScale::unit, LogVarLayer::mlp, 7}},
                    Case{EncoderConfig::Architecture::bert, true, {HeadKind::mlp_tanh}},
                    Case{EncoderConfig::Architecture::bert, true, {HeadKind::none}},
                    Case{EncoderConfig::Architecture::bert, true, {HeadKind::none}, PoolingKind::mean},
                    Case{EncoderConfig::Architecture::bert, true, {HeadKind::none}, PoolingKind::mean_without_first},
                    Case{EncoderConfig::Architecture::bert, true, {HeadKind::none}, PoolingKind::max}));

/// The formulas of the heads, on the vectors that a model without a head gives.
TEST(Head, GivesItsFormula) {
  SentenceEncoderSettings settings = small_settings(EncoderConfig::Architecture::bert, at::kDouble);
  const RandomSentences sentences = random_sentences(5, 3);
  for (const HeadSettings head :
       {HeadSettings{HeadKind::gaussian, MeanLayer::tanh}, HeadSettings{HeadKind::gaussian, MeanLayer::linear},
        HeadSettings{HeadKind::mlp_tanh}}) {
    settings.head = head;
    SentenceEncoder with(settings);
    randomize(with.parameters(), 5);
    settings.head = {HeadKind::none};
    SentenceEncoder without(settings);
    without.parameters().values().copy_(with.parameters().values().narrow(0, 0, without.parameters().values().numel()));
    without.parameters_changed();
    with.parameters_changed();
    const at::Tensor h = without.forward(pack(sentences, without), nullptr, nullptr);
    const auto linear = [&](const std::string& name) {
      return h.matmul(with.parameters().value("head." + name + ".weight").t()) +
             with.parameters().value("head." + name + ".bias");
    };
    const bool gaussian = head.kind == HeadKind::gaussian;
    ASSERT_EQ(with.width(), gaussian ? 48 : 24);
    const at::Tensor expected =
        gaussian
            ? at::cat({head.mean == MeanLayer::tanh ? linear("mean").tanh() : linear("mean"), linear("log_var")}, 1)
            : linear("mlp").tanh();
    const at::Tensor given = with.forward(pack(sentences, with), nullptr, nullptr);
    EXPECT_LE((given - expected).abs().max().item<double>(), 1e-12);
  }
}

class EncoderOfFamily : public testing::TestWithParam<EncoderConfig::Architecture> {};

INSTANTIATE_TEST_SUITE_P(Families, EncoderOfFamily,
                         testing::Values(EncoderConfig::Architecture::bert, EncoderConfig::Architecture::mpnet,
                                         EncoderConfig::Architecture::distilbert,
                                         EncoderConfig::Architecture::modernbert,
                                         EncoderConfig::Architecture::nomic_bert));

TEST_P(EncoderOfFamily, SentenceDoesNotDependOnItsCompany) {
  SentenceEncoder encoder(small_settings(GetParam(), at::kDouble));
  randomize(encoder.parameters(), 5);
  const RandomSentences all = random_sentences(7, 9);
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
  SentenceEncoder encoder(small_settings(EncoderConfig::Architecture::bert, at::kDouble));
  randomize(encoder.parameters(), 5);
  const PackedBatch batch = pack(random_sentences(3, 9), encoder);
  const DropoutStep one = DropoutStep::of(1, 1), two = DropoutStep::of(1, 2);
  const at::Tensor first = encoder.forward(batch, &one, nullptr).clone();
  const at::Tensor second = encoder.forward(batch, &two, nullptr).clone();
  const at::Tensor again = encoder.forward(batch, &one, nullptr).clone();
  EXPECT_GT((first - second).abs().max().item<double>(), 1e-3);
  EXPECT_TRUE(at::equal(first, again));
}

TEST_P(EncoderOfFamily, LastLayerOfFirstTokensIsThatOfAllTokens) {
  const SentenceEncoderSettings settings = small_settings(GetParam(), at::kDouble);
  SentenceEncoder sentence_encoder(settings);
  ParameterStore& parameters = sentence_encoder.parameters();
  randomize(parameters, 5);
  CpuMatmuls products(parameters.values(), Precision::full);
  Encoder encoder(settings.encoder, parameters, products);
  const PackedBatch batch = pack(random_sentences(6, 2), sentence_encoder);
  const DropoutStep step = DropoutStep::of(1, 1);
  const at::Tensor all = encoder.forward(batch, EncoderOutput::all_tokens, &step, nullptr).clone();
  const at::Tensor first = encoder.forward(batch, EncoderOutput::first_tokens, &step, nullptr);
  EXPECT_LE((all.index_select(0, batch.first_tokens) - first).abs().max().item<double>(), 1e-12);
}

/// Many more shards than sentences, and shards of one sentence: gradients are those without shards.
TEST_P(EncoderOfFamily, GradientsOverShardsAreThoseOfOne) {
  for (const bool fixed_tiles : {false, true}) {
    SentenceEncoderSettings settings = small_settings(GetParam(), at::kDouble);
    settings.fixed_tiles = fixed_tiles;
    SentenceEncoder encoder(settings);
    randomize(encoder.parameters(), 5);
    const RandomSentences sentences = random_sentences(6, 2);
    const DropoutStep step = DropoutStep::of(1, 1);
    std::vector<at::Tensor> gradients;
    for (const std::vector<std::int64_t>& shards :
         std::vector<std::vector<std::int64_t>>{{}, {6}, {2, 4}, {1, 1, 1, 1, 1, 1}, {0, 3, 0, 0, 1, 2, 0, 0, 0}}) {
      SentenceActivations activations;
      encoder.forward(pack_sentences(sentences.ids, sentences.offsets, {}, encoder.position_offset(), shards), &step,
                      &activations);
      encoder.parameters().gradients().zero_();
      at::manual_seed(7);
      encoder.backward(activations, at::randn({6, encoder.width()}, at::kDouble));
      gradients.push_back(encoder.parameters().gradients().clone());
      EXPECT_GT(gradients.back().abs().max().item<double>(), 0.1);
      EXPECT_LE((gradients.back() - gradients.front()).abs().max().item<double>(), 1e-12) << gradients.size();
    }
  }
}

/// The gradient of a table that all layers share does not depend on which thread computes which sentences of which
/// layers.
TEST_P(EncoderOfFamily, GradientsHaveTheSameBitsForAnyThreads) {
  SentenceEncoderSettings settings = small_settings(GetParam(), at::kFloat);
  settings.fixed_tiles = true;
  SentenceEncoder encoder(settings);
  randomize(encoder.parameters(), 5);
  const PackedBatch batch = pack(random_sentences(12, 2), encoder);
  const DropoutStep step = DropoutStep::of(1, 1);
  const int before = at::get_num_threads();
  at::Tensor expected;
  for (const int threads : {1, 2, 3}) {
    at::set_num_threads(threads);
    SentenceActivations activations;
    encoder.forward(batch, &step, &activations);
    encoder.parameters().gradients().zero_();
    encoder.backward(activations, at::cos(at::arange(12 * encoder.width(), at::kFloat)).view({12, encoder.width()}));
    if (!expected.defined()) expected = encoder.parameters().gradients().clone();
    EXPECT_TRUE(encoder.parameters().gradients().equal(expected)) << threads;
  }
  at::set_num_threads(before);
}

/// Every layer adds to it, and a second backward adds to the first's.
TEST(Encoder, BackwardAddsToTheGradientOfRelativePositions) {
  SentenceEncoder encoder(small_settings(EncoderConfig::Architecture::mpnet, at::kDouble));
  randomize(encoder.parameters(), 5);
  const PackedBatch batch = pack(random_sentences(6, 2), encoder);
  const at::Tensor grad = at::cos(at::arange(6 * encoder.width(), at::kDouble)).view({6, encoder.width()});
  const auto gradient = [&] { return encoder.parameters().gradient("encoder.relative_attention_bias.weight"); };
  SentenceActivations activations;
  encoder.forward(batch, nullptr, &activations);
  encoder.parameters().gradients().zero_();
  encoder.backward(activations, grad.clone());
  const at::Tensor once = gradient().clone();
  EXPECT_GT(once.abs().max().item<double>(), 1e-3);
  encoder.backward(activations, grad.clone());
  EXPECT_LE((gradient() - 2 * once).abs().max().item<double>(), 1e-13);
}

TEST(PackSentences, RefusesShardsThatAreNotTheSentences) {
  const RandomSentences sentences = random_sentences(6, 2);
  const std::vector<std::int64_t> shards{2, 3};
  EXPECT_THROW(pack_sentences(sentences.ids, sentences.offsets, {}, 0, shards), std::logic_error);
}

}  // namespace
}  // namespace gausscse
