#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/tensor.h>

#include "base/philox.hpp"
#include "evaluation/geometry/token_geometry.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/model/encoder/small_models.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

inline constexpr std::uint32_t pad = 0;

/// Sentences of few letters, so that ids repeat between sentences and within them; 20 of them, of 1 to 8 letters, and
/// one of a letter that no other has.
inline std::vector<std::string> few_letters() {
  PhiloxStream stream(5, 1);
  std::vector<std::string> texts;
  for (int s = 0; s < 20; ++s) {
    std::string text;
    const std::uint32_t letters = 1 + stream.below(8);
    for (std::uint32_t i = 0; i < letters; ++i) text += static_cast<char>('a' + stream.below(7));
    texts.push_back(text);
  }
  texts.push_back("zzzzzz");
  return texts;
}

/// A model with random weights, and those sentences.
class TokenGeometryOfSmallModel : public testing::Test {
 protected:
  TokenGeometryOfSmallModel() : encoder_(settings()), store_(make_store(few_letters())) {
    randomize(encoder_.parameters(), 5);
    encoder_.parameters_changed();
  }

  static SentenceEncoderSettings settings() {
    SentenceEncoderSettings settings = small_settings(EncoderConfig::Architecture::bert, at::kFloat);
    settings.head.kind = HeadKind::none;
    settings.encoder.vocabulary_size = 300;
    return settings;
  }
  static TokenStore make_store(const std::vector<std::string>& texts) {
    return TokenStore::from_sentences(texts, ByteTokenizer(), 64, 1);
  }

  TokenGeometry measure(const GeometrySettings& given) {
    const auto communicator = make_self_communicator();
    return measure_token_geometry(encoder_, store_, pad, given, *communicator);
  }

  /// Hidden states of sentence `s`, each alone, in float64: a tensor [tokens, hidden] for each layer. With `longest`
  /// over 0 a pad follows where the sentence is shorter.
  std::vector<at::Tensor> states_of(std::uint32_t s, std::size_t longest) {
    std::vector<std::uint32_t> ids = ids_of(s);
    const auto tokens = static_cast<std::int32_t>(ids.size());
    if (ids.size() < longest) ids.push_back(pad);
    const std::vector<std::uint32_t> offsets{0, static_cast<std::uint32_t>(ids.size())};
    PackedBatch batch = pack_sentences(ids, offsets, {}, encoder_.position_offset());
    batch.attended = at::tensor({tokens}, at::kInt);
    std::vector<at::Tensor> layers;
    SentenceEvaluator(encoder_).visit_layers(
        batch, [&](std::int64_t, const at::Tensor& states) { layers.push_back(states.to(at::kDouble)); });
    return layers;
  }
  std::vector<std::uint32_t> ids_of(std::uint32_t s) {
    std::vector<std::uint32_t> ids;
    store_.append_tokens(s, ids);
    return ids;
  }

  SentenceEncoder encoder_;
  TokenStore store_;
};

inline double cosine(const at::Tensor& a, const at::Tensor& b) {
  return (a.dot(b) / (a.norm() * b.norm())).item<double>();
}

}  // namespace gausscse
