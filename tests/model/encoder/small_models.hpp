#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/batch/packed_batch.hpp"
#include "model/sentence_encoder.hpp"
#include "model/weights/encoder_family.hpp"

namespace gausscse {

/// Returns a float64 (or float32) sentence encoder of two layers with random weights.
inline SentenceEncoderSettings small_settings(EncoderConfig::Architecture architecture, at::ScalarType type,
                                              Precision precision = Precision::full) {
  EncoderConfig config = family_of(architecture).shapes.front().config;
  config.hidden_size = 24;
  config.layers = 2;
  config.heads = 3;
  config.intermediate_size = 40;
  config.vocabulary_size = 50;
  config.max_positions = 70;
  config.layer_norm_eps = 1e-12;
  config.pad_token_id = std::min<std::int64_t>(config.pad_token_id, 1);
  // Layers of both kinds, and sentences that are longer than the window.
  if (config.rotary.global_every > 1) {
    config.rotary.global_every = 2;
    config.rotary.local_distance = 5;
  }
  return {.encoder = config,
          .head = {.kind = HeadKind::gaussian, .mean = MeanLayer::tanh},
          .precision = precision,
          .type = type};
}

/// Returns a float32 BERT of two layers with MiniLM's widths; the second computes for first tokens only.
inline SentenceEncoderSettings settings_of_minilms_widths(Precision precision) {
  SentenceEncoderSettings settings = small_settings(EncoderConfig::Architecture::bert, at::kFloat, precision);
  settings.encoder.hidden_size = 384;
  settings.encoder.heads = 12;
  settings.encoder.intermediate_size = 1536;
  return settings;
}

/// `count` sentences of 1 to `most_tokens` tokens.
struct RandomSentences {
  std::vector<std::uint32_t> ids;
  std::vector<std::uint32_t> offsets{0};
};
RandomSentences random_sentences(std::size_t count, std::uint64_t seed, std::uint32_t most_tokens = 40);

/// Sets all parameters to random values of about 0.3, layer norms' weights near 1, so that no gradient is negligible.
void randomize(ParameterStore& parameters, std::uint64_t seed);

}  // namespace gausscse
