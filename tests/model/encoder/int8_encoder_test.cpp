#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cosine_similarity.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include "model/encoder/int8_layers.hpp"
#include "model/folder/model_folder.hpp"
#include "model/sentence_encoder.hpp"
#include "tests/model/encoder/small_models.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Returns the embeddings of all sentences, `count` at a time.
at::Tensor embedded_by(SentenceEncoder& encoder, const RandomSentences& sentences, std::size_t count) {
  const std::size_t all = sentences.offsets.size() - 1;
  at::Tensor rows = at::empty({static_cast<std::int64_t>(all), encoder.width()});
  const auto embedder = encoder.make_batch_embedder();
  for (std::size_t first = 0; first < all; first += count) {
    const std::size_t end = std::min(all, first + count);
    const std::uint32_t token = sentences.offsets[first];
    std::vector<std::uint32_t> offsets;
    for (std::size_t i = first; i <= end; ++i) offsets.push_back(sentences.offsets[i] - token);
    rows.narrow(0, static_cast<std::int64_t>(first), static_cast<std::int64_t>(end - first))
        .copy_(embedder->embed(encoder.pack({sentences.ids.data() + token, offsets.back()}, offsets)));
  }
  return rows;
}

SentenceEncoderSettings without_head(SentenceEncoderSettings settings, PoolingKind pooling) {
  settings.head.kind = HeadKind::none;
  settings.pooling = pooling;
  return settings;
}

class Int8Encoder : public testing::TestWithParam<EncoderConfig::Architecture> {};

INSTANTIATE_TEST_SUITE_P(Architectures, Int8Encoder,
                         testing::Values(EncoderConfig::Architecture::bert, EncoderConfig::Architecture::roberta,
                                         EncoderConfig::Architecture::xlm_roberta, EncoderConfig::Architecture::mpnet,
                                         EncoderConfig::Architecture::distilbert,
                                         EncoderConfig::Architecture::modernbert,
                                         EncoderConfig::Architecture::nomic_bert));

/// First tokens too, of which the last layer computes nothing else.
TEST_P(Int8Encoder, IsNearFloat32) {
  for (const PoolingKind pooling : {PoolingKind::mean, PoolingKind::first_token}) {
    const RandomSentences sentences = random_sentences(70, 4);
    std::vector<at::Tensor> embeddings;
    for (const Precision precision : {Precision::full, Precision::int8}) {
      SentenceEncoder encoder(without_head(small_settings(GetParam(), at::kFloat, precision), pooling));
      randomize(encoder.parameters(), 2);
      encoder.parameters_changed();
      embeddings.push_back(embedded_by(encoder, sentences, 70));
    }
    const at::Tensor cosine = at::cosine_similarity(embeddings[0], embeddings[1]);
    EXPECT_GT(cosine.min().item<double>(), 0.99);
    EXPECT_GT(cosine.mean().item<double>(), 0.999);
    EXPECT_GT((embeddings[0] - embeddings[1]).abs().max().item<double>(), 1e-4) << "nothing was rounded";
  }
}

class EncoderBits : public testing::TestWithParam<Precision> {};

INSTANTIATE_TEST_SUITE_P(Precisions, EncoderBits,
                         testing::Values(Precision::full, Precision::bfloat16, Precision::int8));

TEST_P(EncoderBits, AreThoseOfASentenceAloneAndOfAnyThreads) {
  auto settings = settings_of_minilms_widths(GetParam());
  settings = without_head(settings, PoolingKind::first_token);
  SentenceEncoder encoder(settings);
  randomize(encoder.parameters(), 1);
  encoder.parameters().values().mul_(0.1);
  encoder.parameters_changed();
  const RandomSentences sentences = random_sentences(64, 9);
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const at::Tensor expected = embedded_by(encoder, sentences, 64);
  EXPECT_FALSE(expected[0].equal(expected[1]));
  EXPECT_TRUE(embedded_by(encoder, sentences, 1).equal(expected));
  for (const int threads : {1, 2, 3}) {
    at::set_num_threads(threads);
    EXPECT_TRUE(embedded_by(encoder, sentences, 7).equal(expected)) << threads;
  }
  at::set_num_threads(before);
}

/// The same with a long sentence alone, in which threads share the steps of a layer; the last layer of all tokens and
/// of first tokens.
TEST(Int8EncoderBits, AreThoseOfALongSentenceOnAnyThreads) {
  for (const PoolingKind pooling : {PoolingKind::mean, PoolingKind::first_token}) {
    auto settings = small_settings(EncoderConfig::Architecture::mpnet, at::kFloat, Precision::int8);
    settings.encoder.max_positions = 310;
    SentenceEncoder encoder(without_head(settings, pooling));
    randomize(encoder.parameters(), 1);
    encoder.parameters_changed();
    RandomSentences sentences;
    for (std::uint32_t i = 0; i < 300; ++i) sentences.ids.push_back(i * 7 % 50);
    sentences.offsets.push_back(300);
    const int before = at::get_num_threads();
    at::set_num_threads(1);
    const at::Tensor expected = embedded_by(encoder, sentences, 1);
    for (const int threads : {2, 3}) {
      at::set_num_threads(threads);
      EXPECT_TRUE(embedded_by(encoder, sentences, 1).equal(expected)) << threads;
    }
    at::set_num_threads(before);
  }
}

TEST(Int8EncoderStates, AreVisitedLayerByLayer) {
  const auto settings =
      without_head(small_settings(EncoderConfig::Architecture::bert, at::kFloat, Precision::int8), PoolingKind::mean);
  SentenceEncoder encoder(settings);
  randomize(encoder.parameters(), 1);
  encoder.parameters_changed();
  const RandomSentences sentences = random_sentences(9, 3);
  const PackedBatch batch = pack_sentences(sentences.ids, sentences.offsets, {}, 0);
  std::vector<at::Tensor> states;
  SentenceEvaluator(encoder).visit_layers(batch, [&](std::int64_t layer, const at::Tensor& hidden) {
    EXPECT_EQ(layer, static_cast<std::int64_t>(states.size()));
    states.push_back(hidden.clone());
  });
  ASSERT_EQ(states.size(), 3u);
  EXPECT_FALSE(states[1].equal(states[0]));
  EXPECT_FALSE(states[2].equal(states[1]));
  const at::Tensor embeddings = embedded_by(encoder, sentences, 9);
  for (std::int64_t s = 0; s < 9; ++s) {
    const std::int64_t first = sentences.offsets[static_cast<std::size_t>(s)];
    const std::int64_t tokens = sentences.offsets[static_cast<std::size_t>(s) + 1] - first;
    EXPECT_LT((states[2].narrow(0, first, tokens).mean(0) - embeddings[s]).abs().max().item<double>(), 1e-5);
  }
}

/// With a pad behind each sentence, as geometry has them.
TEST(Int8EncoderStates, OfTokensStayWithPadsThatAreNotAttendedTo) {
  SentenceEncoder encoder(
      without_head(small_settings(EncoderConfig::Architecture::bert, at::kFloat, Precision::int8), PoolingKind::mean));
  randomize(encoder.parameters(), 5);
  encoder.parameters_changed();
  const auto last_states = [&](const PackedBatch& batch) {
    at::Tensor last;
    SentenceEvaluator(encoder).visit_layers(batch,
                                            [&](std::int64_t, const at::Tensor& hidden) { last = hidden.clone(); });
    return last;
  };
  const RandomSentences plain{{5, 9, 3, 8, 8, 4, 2}, {0, 3, 7}}, padded{{5, 9, 3, 0, 8, 8, 4, 2, 0}, {0, 4, 9}};
  PackedBatch with_pads = pack_sentences(padded.ids, padded.offsets, {}, 0);
  with_pads.attended = at::tensor({3, 4}, at::kInt);
  const at::Tensor tokens = at::tensor({0, 1, 2, 4, 5, 6, 7}, at::kLong);
  EXPECT_TRUE(last_states(with_pads).index_select(0, tokens).equal(
      last_states(pack_sentences(plain.ids, plain.offsets, {}, 0))));
}

TEST(Int8EncoderBits, FollowTheParameters) {
  SentenceEncoder encoder(
      without_head(small_settings(EncoderConfig::Architecture::bert, at::kFloat, Precision::int8), PoolingKind::mean));
  const RandomSentences sentences = random_sentences(5, 1);
  randomize(encoder.parameters(), 1);
  encoder.parameters_changed();
  const at::Tensor first = embedded_by(encoder, sentences, 5);
  randomize(encoder.parameters(), 2);
  encoder.parameters_changed();
  EXPECT_LT(at::cosine_similarity(first, embedded_by(encoder, sentences, 5)).max().item<double>(), 0.9);
  randomize(encoder.parameters(), 1);
  encoder.parameters_changed();
  EXPECT_TRUE(embedded_by(encoder, sentences, 5).equal(first));
}

TEST(Int8ColumnFactors, HalveWideColumns) {
  const at::Tensor narrow = at::ones({3, 5}), wide = at::ones({3, 5});
  wide[2][1] = -2.5;
  wide[1][4] = 1.9;
  const at::Tensor factors = int8_column_factors({narrow, wide});
  const at::Tensor expected = at::ones({3, 5});
  expected[1][1] = 0.5;
  EXPECT_TRUE(factors.equal(expected));
}

/// Random words of its vocabulary.
TEST(Int8EncoderOfMiniLm, IsNearFloat32) {
  const std::filesystem::path folder = golden("../../models/minilm");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no MiniLM in " << folder << ": run scripts/fetch_minilm.sh";
  RandomSentences sentences;
  for (std::uint32_t s = 0; s < 40; ++s) {
    sentences.ids.push_back(101);
    for (std::uint32_t i = 0; i < 5 + s % 20; ++i) sentences.ids.push_back(1996 + (s * 131 + i * 977) % 9000);
    sentences.ids.push_back(102);
    sentences.offsets.push_back(static_cast<std::uint32_t>(sentences.ids.size()));
  }
  std::vector<at::Tensor> embeddings;
  for (const Precision precision : {Precision::full, Precision::int8}) {
    SentenceEncoderSettings settings;
    settings.encoder = read_encoder_config(folder);
    settings.precision = precision;
    SentenceEncoder encoder(without_head(settings, PoolingKind::mean));
    load_encoder_weights(folder, encoder);
    embeddings.push_back(embedded_by(encoder, sentences, 40));
  }
  const at::Tensor cosine = at::cosine_similarity(embeddings[0], embeddings[1]);
  EXPECT_GT(cosine.min().item<double>(), 0.99);
  EXPECT_GT(cosine.mean().item<double>(), 0.999);
}

}  // namespace
}  // namespace gausscse
