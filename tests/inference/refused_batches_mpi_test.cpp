#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <mutex>
#include <new>

#include "inference/embed_sentences.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Model whose embeddings are the sums of the token ids, and that has memory for so many tokens at once.
class SmallMemory : public SentenceEmbedder {
 public:
  explicit SmallMemory(std::size_t most_tokens) : most_tokens_(most_tokens) {}

  std::int64_t width() const override { return 1; }
  at::TensorOptions options() const override { return at::kFloat; }
  PackedBatch pack(std::span<const std::uint32_t> ids, std::span<const std::uint32_t> offsets) const override {
    return pack_sentences(ids, offsets, {}, 0);
  }
  std::unique_ptr<BatchEmbedder> make_batch_embedder() override { return std::make_unique<Batches>(*this); }

  int refusals = 0, released = 0;
  std::vector<std::size_t> tokens;  ///< tokens of each batch that was embedded

 private:
  class Batches : public BatchEmbedder {
   public:
    explicit Batches(SmallMemory& model) : model_(model) {}
    at::Tensor embed(const PackedBatch& batch) override {
      const std::lock_guard lock(model_.mutex_);
      const auto tokens = static_cast<std::size_t>(batch.tokens());
      if (tokens > model_.most_tokens_) {
        ++model_.refusals;
        throw std::bad_alloc();
      }
      model_.tokens.push_back(tokens);
      const auto* ids = batch.ids.const_data_ptr<std::int32_t>();
      const auto* offsets = batch.offsets.const_data_ptr<std::int32_t>();
      at::Tensor rows = at::empty({batch.sentences(), 1});
      for (std::int64_t s = 0; s < batch.sentences(); ++s)
        rows.mutable_data_ptr<float>()[s] =
            static_cast<float>(std::accumulate(ids + offsets[s], ids + offsets[s + 1], 0));
      return rows;
    }
    void release_memory() override {
      const std::lock_guard lock(model_.mutex_);
      ++model_.released;
    }

   private:
    SmallMemory& model_;
  };

  std::size_t most_tokens_;
  std::mutex mutex_;
};

/// Sentences of 1 to `longest` bytes.
TokenStore sentences_up_to(std::size_t longest, std::size_t count) {
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < count; ++i)
    sentences.emplace_back(1 + i * 7 % longest, static_cast<char>('a' + static_cast<char>(i % 26)));
  return TokenStore::from_sentences(sentences, ByteTokenizer(), 64, 1);
}

TEST(RefusedBatches, AreEmbeddedInParts) {
  const auto ranks = make_mpi_communicator();
  const TokenStore store = sentences_up_to(40, 500);
  SmallMemory enough(1 << 20), little(100);
  const at::Tensor expected = embed_sentences(enough, store, *ranks);
  EXPECT_EQ(enough.refusals, 0);
  EXPECT_GT(*std::max_element(enough.tokens.begin(), enough.tokens.end()), 900u);
  EXPECT_TRUE(embed_sentences(little, store, *ranks).equal(expected));
  EXPECT_GE(little.refusals, 3) << "to batches of 1024 tokens and halves of them";
  EXPECT_LE(little.refusals, 4 * at::get_num_threads()) << "a thread learns of another's";
  EXPECT_EQ(little.released, little.refusals);
  // Parts are as large as memory allows: more than a quarter of it in the mean, also where a batch ends.
  const std::size_t tokens = std::accumulate(little.tokens.begin(), little.tokens.end(), std::size_t{0});
  EXPECT_EQ(tokens, std::accumulate(enough.tokens.begin(), enough.tokens.end(), std::size_t{0}));
  EXPECT_GT(tokens / little.tokens.size(), 25u);
}

TEST(RefusedBatches, EndWithASentenceThatDoesNotFit) {
  const auto alone = make_self_communicator();
  // A sentence of 40 bytes has 42 tokens.
  SmallMemory model(41), fitting(42);
  EXPECT_THROW(embed_sentences(model, sentences_up_to(40, 500), *alone), std::bad_alloc);
  EXPECT_NO_THROW(embed_sentences(fitting, sentences_up_to(40, 500), *alone));
}

}  // namespace
}  // namespace gausscse
