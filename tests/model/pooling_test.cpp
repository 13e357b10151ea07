#include "model/pooling/pooling.hpp"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "model/kernels/kernels.hpp"
#include "model/sentence_encoder.hpp"
#include "tests/model/encoder/small_models.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

PackedBatch pack(const RandomSentences& sentences) {
  return pack_sentences(sentences.ids, sentences.offsets, {}, 0);
}

/// Sentences of 1, 2, 3 and 5 tokens, and hidden states of width 20 for them.
const RandomSentences four_sentences{std::vector<std::uint32_t>(11, 7), {0, 1, 3, 6, 11}};
constexpr std::int64_t width = 20;

at::Tensor hidden_states(at::ScalarType type) {
  at::manual_seed(3);
  return at::randn({11, width}, at::kDouble).to(type);
}

/// By its definition, in float64.
at::Tensor expected(PoolingKind kind, const at::Tensor& hidden, const RandomSentences& sentences) {
  std::vector<at::Tensor> rows;
  for (std::size_t s = 0; s + 1 < sentences.offsets.size(); ++s) {
    at::Tensor tokens = hidden.slice(0, sentences.offsets[s], sentences.offsets[s + 1]).to(at::kDouble);
    switch (kind) {
      case PoolingKind::first_token:
        rows.push_back(tokens[0]);
        break;
      case PoolingKind::mean:
        rows.push_back(tokens.mean(0));
        break;
      case PoolingKind::mean_without_first:
        rows.push_back(tokens.size(0) == 1 ? at::zeros_like(tokens[0]) : tokens.slice(0, 1).mean(0));
        break;
      case PoolingKind::max:
        rows.push_back(std::get<0>(tokens.max(0)));
        break;
    }
  }
  return at::stack(rows);
}

class PoolingByKind : public testing::TestWithParam<PoolingKind> {};

TEST_P(PoolingByKind, IsItsDefinition) {
  const PackedBatch batch = pack(four_sentences);
  for (const auto type : {at::kFloat, at::kDouble}) {
    const at::Tensor hidden = hidden_states(type);
    const auto pooling = make_pooling(GetParam());
    const at::Tensor input =
        pooling->needed_output() == EncoderOutput::all_tokens ? hidden : hidden.index_select(0, batch.first_tokens);
    PoolingActivations activations;
    const at::Tensor pooled = pooling->forward(input, batch, activations);
    ASSERT_EQ(pooled.scalar_type(), type);
    const at::Tensor difference = pooled.to(at::kDouble) - expected(GetParam(), hidden, four_sentences);
    EXPECT_LE(difference.abs().max().item<double>(), type == at::kFloat ? 1e-6 : 1e-15);
  }
}

/// Several pieces of a batch are in memory at once: the backward of one must not see the forward of the next.
TEST_P(PoolingByKind, ActivationsBelongToTheirPiece) {
  SentenceEncoderSettings settings = small_settings(EncoderConfig::Architecture::bert, at::kDouble);
  settings.pooling = GetParam();
  SentenceEncoder encoder(settings);
  randomize(encoder.parameters(), 5);
  const PackedBatch first = pack(random_sentences(4, 3, 12));
  const PackedBatch second = pack(random_sentences(9, 8, 12));
  at::manual_seed(1);
  const at::Tensor grad = at::randn({4, encoder.width()}, at::kDouble);
  std::vector<at::Tensor> gradients;
  for (const bool with_second : {false, true}) {
    SentenceActivations of_first, of_second;
    encoder.parameters().gradients().zero_();
    encoder.forward(first, nullptr, &of_first);
    if (with_second) encoder.forward(second, nullptr, &of_second);
    encoder.backward(of_first, grad.clone());
    gradients.push_back(encoder.parameters().gradients().clone());
  }
  EXPECT_TRUE(at::equal(gradients[0], gradients[1]));
  EXPECT_GT(gradients[0].abs().max().item<double>(), 0.1);
}

INSTANTIATE_TEST_SUITE_P(Kinds, PoolingByKind,
                         testing::Values(PoolingKind::first_token, PoolingKind::mean, PoolingKind::mean_without_first,
                                         PoolingKind::max),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

/// Sums over 0, 1, 2 and 4 tokens behind the first, divided by 7 - 1 in the first two sentences, by 5 - 1 in the
/// others.
TEST(MeanPooling, DividesByTheLongestSentencesWhereTheyAreGiven) {
  const PackedBatch batch = pack(four_sentences);
  const at::Tensor hidden = hidden_states(at::kDouble);
  const auto pooling = make_pooling(PoolingKind::mean_without_first);
  PoolingActivations activations;
  activations.longest = at::tensor({7, 7, 5, 5}, at::kLong);
  const at::Tensor pooled = pooling->forward(hidden, batch, activations);
  at::manual_seed(8);
  const at::Tensor grad = at::randn({4, width}, at::kDouble);
  const at::Tensor by_hidden = pooling->backward(grad, batch, activations);
  for (std::int64_t s = 0; s < 4; ++s) {
    const std::int64_t divisor = s < 2 ? 6 : 4;
    const std::int64_t begin = four_sentences.offsets[static_cast<std::size_t>(s)];
    const std::int64_t end = four_sentences.offsets[static_cast<std::size_t>(s) + 1];
    EXPECT_LE((pooled[s] - hidden.slice(0, begin + 1, end).sum(0) / divisor).abs().max().item<double>(), 1e-15) << s;
    EXPECT_EQ(by_hidden[begin].abs().max().item<double>(), 0);
    for (std::int64_t token = begin + 1; token < end; ++token)
      EXPECT_LE((by_hidden[token] - grad[s] / divisor).abs().max().item<double>(), 1e-15) << s;
  }
}

/// A role whose sentences are all one token long has no longer one to divide by.
TEST(MeanPooling, OfOneTokenIsZeroWhereTheLongestHasNoOther) {
  const PackedBatch batch = pack({std::vector<std::uint32_t>(4, 7), {0, 1, 2, 4}});
  const auto pooling = make_pooling(PoolingKind::mean_without_first);
  PoolingActivations activations;
  activations.longest = at::tensor({1, 1, 2}, at::kLong);
  const at::Tensor hidden = hidden_states(at::kDouble).narrow(0, 0, 4);
  const at::Tensor pooled = pooling->forward(hidden, batch, activations);
  EXPECT_TRUE(pooled.equal(at::cat({at::zeros({2, width}, at::kDouble), hidden.narrow(0, 3, 1)})));
  const at::Tensor grad = at::ones({3, width}, at::kDouble);
  const at::Tensor expected_grad = at::zeros({4, width}, at::kDouble);
  expected_grad[3].fill_(1);
  EXPECT_TRUE(pooling->backward(grad, batch, activations).equal(expected_grad));
}

/// Only of the call that is given them: a model that was trained so is evaluated by its own tokens.
TEST(MeanPooling, ForgetsTheLongestSentencesOfAnEarlierCall) {
  SentenceEncoderSettings settings = small_settings(EncoderConfig::Architecture::bert, at::kDouble);
  settings.pooling = PoolingKind::mean_without_first;
  settings.head.kind = HeadKind::none;
  SentenceEncoder encoder(settings);
  randomize(encoder.parameters(), 5);
  const PackedBatch batch = pack(random_sentences(4, 3, 12));
  const at::Tensor own = encoder.forward(batch, nullptr, nullptr).clone();
  for (const bool kept : {false, true}) {
    SentenceActivations activations;
    SentenceActivations* keep = kept ? &activations : nullptr;
    const at::Tensor divided = encoder.forward(batch, nullptr, keep, at::full({4}, 101, at::kLong)).clone();
    for (std::int64_t s = 0; s < 4; ++s) {
      const std::int64_t tokens = (batch.offsets[s + 1] - batch.offsets[s]).item<std::int64_t>();
      const at::Tensor expected_row = own[s] * static_cast<double>(tokens - 1) / 100;
      EXPECT_LE((divided[s] - expected_row).abs().max().item<double>(), 1e-14);
    }
    EXPECT_TRUE(encoder.forward(batch, nullptr, keep).equal(own));
  }
}

TEST(MaxPooling, FirstOfEqualTokensGetsTheGradient) {
  const PackedBatch batch = pack({std::vector<std::uint32_t>(3, 7), {0, 3}});
  const auto pooling = make_pooling(PoolingKind::max);
  PoolingActivations activations;
  const at::Tensor hidden = at::tensor({1.0, 5.0, 4.0, 5.0, 4.0, 2.0}).view({3, 2});
  EXPECT_TRUE(at::equal(pooling->forward(hidden, batch, activations), at::tensor({4.0, 5.0}).view({1, 2})));
  const at::Tensor grad = pooling->backward(at::tensor({0.5, 0.25}).view({1, 2}), batch, activations);
  EXPECT_TRUE(at::equal(grad, at::tensor({0.0, 0.25, 0.5, 0.0, 0.0, 0.0}).view({3, 2}))) << grad;
}

/// Nobody packs a sentence without tokens, but a kernel must not read beyond one.
TEST(PoolingKernels, ASentenceWithoutTokensGivesZerosAndTakesNoGradient) {
  const std::vector<std::int32_t> offsets{0, 0, 1, 1};
  const std::vector<std::uint32_t> samples{0, 1, 2};
  const kernels::PackedShape shape{offsets.data(), samples.data(), 3, 1, 1, nullptr};
  const std::vector<double> x{-5, 3}, grad{10, 20, 30, 40, 50, 60};
  const auto& table = kernels::kernel_table<double>();
  std::vector<double> mean(6, 7), maximum(6, 7), grad_of_mean(2, 7), grad_of_maximum(2, 7);
  std::vector<std::int32_t> token(6, 7);
  table.mean_of_tokens(kernels::on_cpu, x.data(), shape, 0, 2, mean.data());
  table.mean_of_tokens_backward(kernels::on_cpu, grad.data(), shape, 0, 2, grad_of_mean.data());
  table.max_of_tokens(kernels::on_cpu, x.data(), shape, 2, maximum.data(), token.data());
  table.max_of_tokens_backward(kernels::on_cpu, grad.data(), token.data(), shape, 2, grad_of_maximum.data());
  const std::vector<double> of_sentences{0, 0, -5, 3, 0, 0}, of_token{30, 40};
  EXPECT_EQ(mean, of_sentences);
  EXPECT_EQ(maximum, of_sentences);
  EXPECT_EQ(token, (std::vector<std::int32_t>{-1, -1, 0, 0, -1, -1}));
  EXPECT_EQ(grad_of_mean, of_token);
  EXPECT_EQ(grad_of_maximum, of_token);
}

TEST(PoolingKernels, NobodyPacksASentenceWithoutTokens) {
  for (const std::vector<std::uint32_t>& offsets : {std::vector<std::uint32_t>{0, 0, 2}, {0, 2, 2}})
    EXPECT_THROW(pack({{7, 7}, offsets}), std::logic_error);
}

TEST(MaxPooling, NaNIsNotHidden) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const PackedBatch batch = pack({std::vector<std::uint32_t>(3, 7), {0, 3}});
  PoolingActivations activations;
  for (std::int64_t place = 0; place < 3; ++place) {
    at::Tensor hidden = at::tensor({1.0, 2.0, 3.0}).view({3, 1});
    hidden[place][0] = nan;
    const at::Tensor pooled = make_pooling(PoolingKind::max)->forward(hidden, batch, activations);
    EXPECT_TRUE(std::isnan(pooled.item<double>())) << place;
  }
}

}  // namespace
}  // namespace gausscse
