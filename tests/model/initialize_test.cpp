#include "model/initialize.hpp"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>

#include <numbers>

#include "base/philox.hpp"
#include "model/kernels/dropout_site.hpp"
#include "model/sentence_encoder.hpp"
#include "model/weights/encoder_family.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

SentenceEncoderSettings settings(HeadKind head = HeadKind::gaussian,
                                 EncoderConfig::Architecture architecture = EncoderConfig::Architecture::bert) {
  EncoderConfig config = family_of(architecture).defaults;
  config.hidden_size = 96;
  config.layers = 2;
  config.heads = 3;
  config.intermediate_size = 160;
  config.vocabulary_size = 300;
  config.max_positions = 64;
  return {.encoder = config, .head = {.kind = head}};
}

double mean_of(const at::Tensor& values) {
  return values.to(at::kDouble).mean().item<double>();
}
double deviation_of(const at::Tensor& values) {
  return std::sqrt((values.to(at::kDouble) - mean_of(values)).square().mean().item<double>());
}

/// Expects the draws of transformers: normal with deviation 0.02, within five deviations of mean and deviation of so
/// many.
void expect_normal(const at::Tensor& values, const std::string& name) {
  const double spread = 5 / std::sqrt(static_cast<double>(values.numel()));
  EXPECT_NEAR(mean_of(values), 0, 0.02 * spread) << name;
  EXPECT_NEAR(deviation_of(values), 0.02, 0.02 * spread) << name;
  EXPECT_LT(values.abs().max().item<double>(), 0.02 * 6) << name;
}

/// Expects the draws of torch.nn.Linear: uniform within +-bound.
void expect_uniform(const at::Tensor& values, double bound, const std::string& name) {
  const double spread = 5 / std::sqrt(static_cast<double>(values.numel()));
  EXPECT_NEAR(mean_of(values), 0, bound * spread) << name;
  EXPECT_NEAR(deviation_of(values), bound / std::sqrt(3.0), bound * spread) << name;
  EXPECT_LE(values.abs().max().item<double>(), bound) << name;
  EXPECT_GT(values.max().item<double>(), 0.9 * bound) << name;
  EXPECT_LT(values.min().item<double>(), -0.9 * bound) << name;
}

void expect_all(const at::Tensor& values, double expected, const std::string& name) {
  EXPECT_TRUE((values == expected).all().item<bool>()) << name;
}

class InitializeFamily : public testing::TestWithParam<EncoderConfig::Architecture> {};

INSTANTIATE_TEST_SUITE_P(Families, InitializeFamily,
                         testing::Values(EncoderConfig::Architecture::bert, EncoderConfig::Architecture::mpnet,
                                         EncoderConfig::Architecture::distilbert));

/// Every matrix is normal, biases are 0, scales of layer norms 1.
TEST_P(InitializeFamily, DrawsTheEncoderAsTransformersDoes) {
  SentenceEncoder encoder(settings(HeadKind::gaussian, GetParam()));
  encoder.parameters().values().fill_(99);
  initialize_encoder(encoder.parameters(), 7);
  for (const ParameterSpec& spec : encoder.parameters().specs()) {
    const at::Tensor values = encoder.parameters().value(spec.name);
    if (spec.name.starts_with("head."))
      expect_all(values, 99, spec.name);
    else if (spec.shape.size() == 2)
      expect_normal(values, spec.name);
    else
      expect_all(values, spec.name.ends_with("LayerNorm.weight") ? 1 : 0, spec.name);
  }
}

/// A Gaussian head as torch.nn.Linear, biases too: within 1 / sqrt(hidden). The MLP as transformers, with biases 0.
TEST(Initialize, DrawsTheHeadAsPyTorchAndTheMlpAsTransformersDoes) {
  for (const HeadKind head : {HeadKind::gaussian, HeadKind::mlp_tanh, HeadKind::none}) {
    SentenceEncoder encoder(settings(head));
    encoder.parameters().values().fill_(99);
    initialize_head(encoder.parameters(), 7);
    std::size_t of_head = 0;
    for (const ParameterSpec& spec : encoder.parameters().specs()) {
      const at::Tensor values = encoder.parameters().value(spec.name);
      if (!spec.name.starts_with("head.")) {
        expect_all(values, 99, spec.name);
        continue;
      }
      ++of_head;
      if (head == HeadKind::gaussian)
        expect_uniform(values, 1 / std::sqrt(96.0), spec.name);
      else if (spec.name == "head.mlp.bias")
        expect_all(values, 0, spec.name);
      else
        expect_normal(values, spec.name);
    }
    EXPECT_EQ(of_head, head == HeadKind::gaussian ? 4u : head == HeadKind::mlp_tanh ? 2u : 0u);
  }
}

/// Both layers of a log-variance: within 1 / sqrt(inputs), which are not the same.
TEST(Initialize, DrawsAHiddenLayerByItsInputs) {
  SentenceEncoderSettings with_layers = settings();
  with_layers.head = {HeadKind::gaussian, MeanLayer::identity, MeanScale::none, LogVarLayer::mlp, 400};
  SentenceEncoder encoder(with_layers);
  initialize_head(encoder.parameters(), 7);
  for (const char* part : {"weight", "bias"}) {
    expect_uniform(encoder.parameters().value(concat("head.log_var.hidden.", part)), 1 / std::sqrt(96.0), part);
    expect_uniform(encoder.parameters().value(concat("head.log_var.", part)), 1 / std::sqrt(400.0), part);
  }
}

/// The mean squared difference of all pairs of two sentences; a dimension that hardly differs counts as a millionth of
/// the average.
TEST(LogVarOfDifferences, EqualsAllPairs) {
  constexpr std::int64_t sentences = 23, dimensions = 5;
  at::manual_seed(3);
  at::Tensor means = at::randn({sentences, dimensions}, at::kDouble);
  means.select(1, 1).mul_(0.1).add_(7);
  means.select(1, 3).fill_(2);
  const std::vector<double> given = log_var_of_differences(means);
  ASSERT_EQ(given.size(), static_cast<std::size_t>(dimensions));
  std::vector<double> expected(dimensions, 0);
  double average = 0;
  for (std::int64_t k = 0; k < dimensions; ++k) {
    double& of_dimension = expected[static_cast<std::size_t>(k)];
    for (std::int64_t i = 0; i < sentences; ++i)
      for (std::int64_t j = 0; j < i; ++j) of_dimension += std::pow((means[i][k] - means[j][k]).item<double>(), 2);
    of_dimension /= sentences * (sentences - 1) / 2;
    average += of_dimension / dimensions;
  }
  expected[3] = 1e-6 * average;
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(given[k], std::log(expected[k]), 1e-11) << k;
  EXPECT_NEAR(log_var_of_differences(means.to(at::kFloat))[0], given[0], 1e-5);
}

TEST(LogVarOfDifferences, NeedsMeansThatDiffer) {
  const at::Tensor same = at::full({9, 3}, 0.1, at::kFloat);
  for (const double value : log_var_of_differences(same)) EXPECT_EQ(value, -std::numeric_limits<double>::infinity());
  EXPECT_THROW(log_var_of_differences(same.narrow(0, 0, 1)), std::logic_error);
}

/// As torch.nn.Linear draws them: a bias is within 1 / sqrt(inputs of its layer), which are not its own width.
TEST(Initialize, DrawsTheObjectiveAsPyTorchDoes) {
  SentenceEncoderSettings with_classifier = settings(HeadKind::none);
  with_classifier.objective = {{"objective.a.weight", {900, 400}}, {"objective.a.bias", {900}}};
  SentenceEncoder encoder(with_classifier);
  encoder.parameters().values().fill_(99);
  initialize_encoder(encoder.parameters(), 7);
  initialize_head(encoder.parameters(), 7);
  for (const ParameterSpec& spec : with_classifier.objective)
    EXPECT_TRUE((encoder.parameters().value(spec.name) == 99).all().item<bool>()) << spec.name;
  initialize_objective(encoder.parameters(), 7);
  for (const ParameterSpec& spec : with_classifier.objective) {
    const at::Tensor values = encoder.parameters().value(spec.name);
    EXPECT_LE(values.abs().max().item<double>(), 0.05) << spec.name;
    EXPECT_GT(values.max().item<double>(), 0.049) << spec.name;
    EXPECT_LT(values.min().item<double>(), -0.049) << spec.name;
    EXPECT_NEAR(mean_of(values), 0, 0.005) << spec.name;
  }
  EXPECT_FALSE((encoder.parameters().value("embeddings.word_embeddings.weight") == 99).any().item<bool>());
}

/// Correlation of two draws of the same size.
double correlation(const at::Tensor& a, const at::Tensor& b) {
  return mean_of((a.to(at::kDouble) - mean_of(a)) * (b.to(at::kDouble) - mean_of(b))) /
         (deviation_of(a) * deviation_of(b));
}

TEST(Initialize, DrawsEachParameterAndSeedByItself) {
  SentenceEncoder first(settings()), again(settings()), other(settings());
  std::uint64_t seed = 7;
  for (SentenceEncoder* encoder : {&first, &again, &other}) {
    if (encoder == &other) ++seed;
    initialize_encoder(encoder->parameters(), seed);
    initialize_head(encoder->parameters(), seed);
  }
  EXPECT_TRUE(first.parameters().values().equal(again.parameters().values()));
  const auto value = [](const SentenceEncoder& encoder, const char* name) { return encoder.parameters().value(name); };
  const double spread = 5 / 96.0;
  for (const char* name : {"head.mean.weight", "encoder.layer.0.attention.self.query.weight"})
    EXPECT_LT(std::abs(correlation(value(first, name), value(other, name))), spread) << name;
  EXPECT_LT(std::abs(correlation(value(first, "head.mean.weight"), value(first, "head.log_var.weight"))), spread);
  EXPECT_LT(std::abs(correlation(value(first, "encoder.layer.0.attention.self.query.weight"),
                                 value(first, "encoder.layer.1.attention.self.query.weight"))),
            spread);
}

/// Two uses of the same words would make independent numbers equal.
TEST(Initialize, SharesNoWordsWithDropout) {
  SentenceEncoder encoder(settings());
  initialize_encoder(encoder.parameters(), 7);
  const at::Tensor first = encoder.parameters().value(encoder.parameters().specs().front().name).flatten();
  for (std::uint32_t step = 0; step < 100; ++step) {
    const PhiloxKey key = DropoutStep::of(7, step).key;
    const double u = (key[0] + 1.0) * 0x1p-32, v = key[1] * 0x1p-32;
    const double of_dropout = 0.02 * std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
    // A block of four words makes two values.
    EXPECT_GT(std::abs(first[2 * step].item<double>() - of_dropout), 1e-7) << step;
  }
}

}  // namespace
}  // namespace gausscse
