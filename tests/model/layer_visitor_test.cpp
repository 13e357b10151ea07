#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tensor.h>

#include "model/matmul/cpu/matmuls.hpp"
#include "model/sentence_encoder.hpp"
#include "tests/model/encoder/small_models.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

PackedBatch packed(const RandomSentences& sentences) {
  return pack_sentences(sentences.ids, sentences.offsets, {}, 0);
}

SentenceEncoderSettings settings() {
  return small_settings(EncoderConfig::Architecture::bert, at::kDouble);
}

std::map<std::int64_t, at::Tensor> layers_of(SentenceEncoder& encoder, const PackedBatch& batch) {
  std::map<std::int64_t, at::Tensor> layers;
  SentenceEvaluator(encoder).visit_layers(batch, [&](std::int64_t layer, const at::Tensor& hidden) {
    EXPECT_TRUE(layers.emplace(layer, hidden.clone()).second) << layer;
  });
  return layers;
}

TEST(LayerVisitor, GetsEmbeddingsAndEveryLayer) {
  SentenceEncoder encoder(settings());
  randomize(encoder.parameters(), 5);
  const PackedBatch batch = packed(random_sentences(6, 3));
  const auto layers = layers_of(encoder, batch);
  ASSERT_EQ(layers.size(), 3u);

  // Embeddings by their definition.
  const ParameterStore& parameters = encoder.parameters();
  const at::Tensor sum =
      parameters.value("embeddings.word_embeddings.weight").index_select(0, batch.ids.to(at::kLong)) +
      parameters.value("embeddings.position_embeddings.weight").index_select(0, batch.positions.to(at::kLong)) +
      parameters.value("embeddings.token_type_embeddings.weight")[0];
  const at::Tensor embedded =
      at::layer_norm(sum, {settings().encoder.hidden_size}, parameters.value("embeddings.LayerNorm.weight"),
                     parameters.value("embeddings.LayerNorm.bias"), settings().encoder.layer_norm_eps);
  EXPECT_LE((layers.at(0) - embedded).abs().max().item<double>(), 1e-12);

  // A model that ends after a layer gives that layer's states.
  for (std::int64_t count = 1; count <= 2; ++count) {
    SentenceEncoderSettings shorter = settings();
    shorter.encoder.layers = count;
    shorter.head.kind = HeadKind::none;
    SentenceEncoder of_count(shorter);
    for (const ParameterSpec& spec : of_count.parameters().specs())
      of_count.parameters().value(spec.name).copy_(parameters.value(spec.name));
    CpuMatmuls products(of_count.parameters().values(), Precision::full);
    Encoder last(shorter.encoder, of_count.parameters(), products);
    const at::Tensor states = last.forward(batch, EncoderOutput::all_tokens, nullptr, nullptr);
    EXPECT_LE((layers.at(count) - states).abs().max().item<double>(), 1e-12) << count;
  }
}

/// Tokens that nobody attends to change no other token, and have the state of the token that stands in their place
/// where the others are attended to alone.
TEST(LayerVisitor, TokensThatAreNotAttendedToChangeNoOther) {
  SentenceEncoder encoder(settings());
  randomize(encoder.parameters(), 5);
  const RandomSentences plain{{5, 9, 3, 8, 8, 4, 2}, {0, 3, 7}};
  const RandomSentences with_pad{{5, 9, 3, 0, 8, 8, 4, 2, 0}, {0, 4, 9}};
  PackedBatch batch = packed(with_pad);
  batch.attended = at::tensor({3, 4}, at::kInt);
  const auto expected = layers_of(encoder, packed(plain)), layers = layers_of(encoder, batch);
  const at::Tensor tokens = at::tensor({0, 1, 2, 4, 5, 6, 7}, at::kLong), pads = at::tensor({3, 8}, at::kLong);
  for (const auto& [layer, states] : expected)
    EXPECT_LE((layers.at(layer).index_select(0, tokens) - states).abs().max().item<double>(), 1e-12) << layer;
  // Another pad has another state, so that it is really computed; the tokens stay.
  RandomSentences other_pad = with_pad;
  other_pad.ids[3] = other_pad.ids[8] = 1;
  PackedBatch other = packed(other_pad);
  other.attended = batch.attended;
  const auto others = layers_of(encoder, other);
  EXPECT_TRUE(at::equal(others.at(2).index_select(0, tokens), layers.at(2).index_select(0, tokens)));
  EXPECT_GT((others.at(2).index_select(0, pads) - layers.at(2).index_select(0, pads)).abs().max().item<double>(), 1e-3);
}

/// By its definition, in float64.
TEST(LayerVisitor, AttentionGoesToTheTokensThatAreAttendedTo) {
  constexpr std::int64_t tokens = 4, attended = 3, heads = 2, head_size = 6, hidden = heads * head_size;
  PackedBatch batch = packed({{5, 9, 3, 0}, {0, tokens}});
  batch.attended = at::tensor({attended}, at::kInt);
  at::manual_seed(2);
  const at::Tensor qkv = at::randn({tokens, 3 * hidden}, at::kDouble), bias = at::randn({3 * hidden}, at::kDouble);
  at::Tensor context = at::empty({tokens, hidden}, at::kDouble);
  ops::attention(batch, {.heads = heads, .first_token_only = false, .dropout = {}}, qkv, bias, {}, {context, {}});
  const at::Tensor sum = qkv + bias;
  for (std::int64_t head = 0; head < heads; ++head) {
    const auto part = [&](std::int64_t number) { return sum.narrow(1, number * hidden + head * head_size, head_size); };
    const at::Tensor keys = part(1).narrow(0, 0, attended), values = part(2).narrow(0, 0, attended);
    const at::Tensor weights = at::softmax(part(0).matmul(keys.t()) / std::sqrt(double{head_size}), 1);
    const at::Tensor difference = context.narrow(1, head * head_size, head_size) - weights.matmul(values);
    EXPECT_LE(difference.abs().max().item<double>(), 1e-13) << head;
  }
}

TEST(LayerVisitor, BackwardRefusesTokensThatAreNotAttendedTo) {
  SentenceEncoder encoder(settings());
  randomize(encoder.parameters(), 5);
  PackedBatch batch = packed({{5, 9, 3}, {0, 3}});
  batch.attended = at::tensor({2}, at::kInt);
  SentenceActivations activations;
  encoder.forward(batch, nullptr, &activations);
  EXPECT_THROW(encoder.backward(activations, at::ones({1, encoder.width()}, at::kDouble)), std::logic_error);
}

}  // namespace
}  // namespace gausscse
