#include "model/pooled_vectors.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>

#include <atomic>
#include <thread>

#include "tests/model/encoder/small_models.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// A model whose vectors are a sentence's number of tokens and the sum of their ids; it counts the sentences.
class CountingModel : public SentenceEmbedder {
 public:
  std::int64_t width() const override { return 2; }
  at::TensorOptions options() const override { return at::kDouble; }
  PackedBatch pack(std::span<const std::uint32_t> ids, std::span<const std::uint32_t> offsets) const override {
    return pack_sentences(ids, offsets, {}, 0);
  }
  std::unique_ptr<BatchEmbedder> make_batch_embedder() override { return std::make_unique<Embedder>(*this); }

  std::atomic<std::int64_t> embedded = 0;

 private:
  struct Embedder : BatchEmbedder {
    explicit Embedder(CountingModel& of) : model(of) {}
    at::Tensor embed(const PackedBatch& batch) override {
      at::Tensor rows = at::empty({batch.sentences(), 2}, at::kDouble);
      const auto* offset = batch.offsets.const_data_ptr<std::int32_t>();
      for (std::int64_t s = 0; s < batch.sentences(); ++s) {
        rows[s][0] = offset[s + 1] - offset[s];
        rows[s][1] = batch.ids.narrow(0, offset[s], offset[s + 1] - offset[s]).sum();
      }
      model.embedded += batch.sentences();
      return rows;
    }
    CountingModel& model;
  };
};

struct Sentences {
  void add(const std::vector<std::uint32_t>& tokens) {
    ids.insert(ids.end(), tokens.begin(), tokens.end());
    offsets.push_back(static_cast<std::uint32_t>(ids.size()));
  }
  std::vector<std::uint32_t> ids, offsets{0};
};

/// Sentences that have each other's tokens in another order or number are others.
TEST(PooledVectors, EmbedsEachSentenceOnce) {
  CountingModel model;
  PooledVectors vectors(model);
  const auto own = model.make_batch_embedder();
  Sentences first, second;
  for (const std::vector<std::uint32_t>& tokens :
       std::vector<std::vector<std::uint32_t>>{{1, 2}, {2, 1, 1}, {3}, {0, 3}})
    first.add(tokens);
  for (const std::vector<std::uint32_t>& tokens :
       std::vector<std::vector<std::uint32_t>>{{3}, {1, 2, 0}, {1, 2}, {0, 3}, {1, 3}})
    second.add(tokens);
  EXPECT_TRUE(vectors.of(model.pack(first.ids, first.offsets), *own)
                  .equal(at::tensor({2., 3., 3., 4., 1., 3., 2., 3.}).to(at::kDouble).view({4, 2})));
  EXPECT_EQ(model.embedded, 4);
  EXPECT_TRUE(vectors.of(model.pack(second.ids, second.offsets), *own)
                  .equal(at::tensor({1., 3., 3., 3., 2., 3., 2., 3., 2., 4.}).to(at::kDouble).view({5, 2})));
  EXPECT_EQ(model.embedded, 6);
  EXPECT_EQ(vectors.size(), 6u);
  vectors.of(model.pack(first.ids, first.offsets), *own);
  EXPECT_EQ(model.embedded, 6);
}

/// Beyond the rows of a block.
TEST(PooledVectors, KeepsWhatIsGiven) {
  CountingModel model;
  PooledVectors vectors(model);
  constexpr std::uint32_t count = 9000;
  Sentences all;
  for (std::uint32_t i = 0; i < count; ++i) all.add({i, 7});
  const at::Tensor rows = at::empty({count, 2}, at::kDouble);
  for (std::uint32_t i = 0; i < count; ++i) rows[i].fill_(0.5 * i);
  vectors.keep(all.ids, all.offsets, rows);
  EXPECT_EQ(vectors.size(), count);
  const auto own = model.make_batch_embedder();
  Sentences some;
  for (const std::uint32_t i : {0u, 4095u, 4096u, 8191u, 8192u, count - 1}) some.add({i, 7});
  const at::Tensor given = vectors.of(model.pack(some.ids, some.offsets), *own).select(1, 1);
  EXPECT_TRUE(given.equal(at::tensor({0., 2047.5, 2048., 4095.5, 4096., 4499.5}).to(at::kDouble)));
  EXPECT_EQ(model.embedded, 0);
  const std::vector<std::uint32_t> tokens{4096, 7}, others{7, 4096};
  const std::string_view bytes = vectors.bytes_of(tokens);
  ASSERT_EQ(bytes.size(), 2 * sizeof(double));
  EXPECT_EQ(std::memcmp(bytes.data(), std::vector<double>{2048, 2048}.data(), bytes.size()), 0);
  EXPECT_TRUE(vectors.bytes_of(others).empty());
  vectors.clear();
  EXPECT_EQ(vectors.size(), 0u);
  EXPECT_TRUE(vectors.bytes_of(tokens).empty());
  vectors.of(model.pack(some.ids, some.offsets), *own);
  EXPECT_EQ(model.embedded, 6);
  EXPECT_THROW(vectors.keep(all.ids, all.offsets, rows.narrow(0, 0, 5)), std::logic_error);
}

/// A sentence with tokens that nobody attends to has another vector.
TEST(PooledVectors, KeepsNoPaddedSentences) {
  CountingModel model;
  PooledVectors vectors(model);
  const auto own = model.make_batch_embedder();
  Sentences one;
  one.add({1, 2, 0});
  PackedBatch padded = model.pack(one.ids, one.offsets);
  padded.attended = at::tensor({2}, at::kInt);
  for (int i = 1; i <= 2; ++i) {
    vectors.of(padded, *own);
    EXPECT_EQ(model.embedded, i);
  }
  EXPECT_EQ(vectors.size(), 0u);
}

TEST(PooledVectors, AreOfAnyNumberOfThreads) {
  CountingModel model;
  PooledVectors vectors(model);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (std::uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const auto own = model.make_batch_embedder();
      for (std::uint32_t i = 0; i < 200; ++i) {
        Sentences some;
        for (std::uint32_t k = 0; k < 3; ++k) some.add({(i + 50 * t + k) % 250, 9});
        const at::Tensor rows = vectors.of(model.pack(some.ids, some.offsets), *own);
        for (std::uint32_t k = 0; k < 3; ++k)
          wrong += rows[k][1].item<double>() != static_cast<double>((i + 50 * t + k) % 250 + 9);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(vectors.size(), 250u);
}

/// The model without an encoder gives the embeddings of the model with it, bit for bit, and looks into no layers.
TEST(PooledVectors, StandForAnEncoder) {
  for (const Precision precision : {Precision::full, Precision::bfloat16, Precision::int8}) {
    SentenceEncoderSettings settings = small_settings(EncoderConfig::Architecture::bert, at::kFloat, precision);
    settings.pooling = PoolingKind::mean;
    SentenceEncoder encoder(settings);
    randomize(encoder.parameters(), 5);
    encoder.parameters_changed();
    PooledEmbedder pooled(encoder, settings.pooling);
    PooledVectors vectors(pooled);
    settings.vectors = &vectors;
    SentenceEncoder head(settings);
    const std::int64_t count = head.parameters().values().numel();
    head.parameters().values().copy_(
        encoder.parameters().values().narrow(0, encoder.parameters().values().numel() - count, count));
    head.parameters_changed();
    const auto sentences = random_sentences(9, 3);
    const at::Tensor expected =
        encoder.make_batch_embedder()->embed(encoder.pack(sentences.ids, sentences.offsets)).clone();
    const auto of_head = head.make_batch_embedder();
    const PackedBatch batch = head.pack(sentences.ids, sentences.offsets);
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(of_head->embed(batch).equal(expected)) << name_of(precision);
    EXPECT_TRUE(head.forward(batch, nullptr, nullptr).equal(expected)) << name_of(precision);
    EXPECT_THROW(SentenceEvaluator(head).visit_layers(batch, {}), std::logic_error);
  }
}

}  // namespace
}  // namespace gausscse
