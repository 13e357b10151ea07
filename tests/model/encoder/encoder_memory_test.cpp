#include <ATen/core/Tensor.h>
#include <ATen/ops/ones_like.h>

#include "model/sentence_encoder.hpp"
#include "tests/model/encoder/small_models.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Returns the bytes that layers hold behind a step of seven sentences, whose last hidden states are all used.
std::int64_t bytes_behind_a_step(EncoderConfig::Architecture architecture) {
  SentenceEncoderSettings settings = small_settings(architecture, at::kFloat);
  settings.pooling = PoolingKind::mean;
  SentenceEncoder encoder(settings);
  randomize(encoder.parameters(), 1);
  const auto sentences = random_sentences(7, 3);
  SentenceActivations activations;
  const at::Tensor out = encoder.forward(
      pack_sentences(sentences.ids, sentences.offsets, {}, encoder.position_offset()), nullptr, &activations);
  encoder.backward(activations, at::ones_like(out));
  return encoder.bytes_of_scratch();
}

/// BERT's layers hold the same, but for the gradient of three heads' biases of 32 buckets, of each sentence.
TEST(EncoderMemory, CountsTheGradientOfRelativePositions) {
  constexpr std::int64_t count = 7 * 32 * 3;
  EXPECT_EQ(
      bytes_behind_a_step(EncoderConfig::Architecture::mpnet) - bytes_behind_a_step(EncoderConfig::Architecture::bert),
      4 * (count + count / 10));
}

}  // namespace
}  // namespace gausscse
