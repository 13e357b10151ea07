#include <exception>

#include "base/philox.hpp"
#include "dist/communicator.hpp"
#include "inference/embed_sentences.hpp"
#include "model/device/device_memory.hpp"
#include "model/sentence_encoder.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/model/encoder/small_models.hpp"
#include "tests/support/pretended_gpu/memory.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

const at::Device gpu(at::kCUDA, 0);

/// Returns as many sentences of letters as make three batches on a GPU.
TokenStore three_batches() {
  std::vector<std::string> sentences(2600);
  PhiloxStream random(3, 0);
  for (std::string& sentence : sentences)
    for (std::uint32_t letters = 50 + random.below(15); letters > 0; --letters)
      sentence += static_cast<char>('a' + static_cast<char>(random.below(26)));
  return TokenStore::from_sentences(sentences, ByteTokenizer(), 70, 1);
}

/// Encoders whose evaluations of one store follow each other.
class KeptBatchesOnGpu : public testing::Test {
 protected:
  KeptBatchesOnGpu() : encoder_(settings_on(gpu)), on_cpu_(settings_on(at::kCPU)) {
    for (SentenceEncoder* encoder : {&encoder_, &on_cpu_}) change(*encoder, 1);
  }
  ~KeptBatchesOnGpu() override { pretended_gpu::limit_memory(0); }

  static SentenceEncoderSettings settings_on(at::Device device) {
    SentenceEncoderSettings settings = small_settings(EncoderConfig::Architecture::bert, at::kFloat);
    settings.encoder.vocabulary_size = 300;
    settings.encoder.layers = 1;
    settings.encoder.intermediate_size = 8;
    settings.device = device;
    return settings;
  }
  static void change(SentenceEncoder& encoder, std::uint64_t seed) {
    SentenceEncoder source(settings_on(at::kCPU));
    randomize(source.parameters(), seed);
    encoder.parameters().values().copy_(source.parameters().values());
    encoder.parameters_changed();
  }

  at::Tensor embedded(KeptBatches& kept) { return embed_sentences_in_place(encoder_, store_, *alone_, kept).cpu(); }
  /// Returns the number of copies to the GPU of an evaluation.
  std::int64_t copies(KeptBatches& kept) {
    const std::int64_t before = pretended_gpu::counts().copies_to_gpu;
    embedded(kept);
    return pretended_gpu::counts().copies_to_gpu - before;
  }

  const TokenStore store_ = three_batches();
  const std::unique_ptr<Communicator> alone_ = make_self_communicator();
  SentenceEncoder encoder_, on_cpu_;
};

TEST_F(KeptBatchesOnGpu, TokensAreCopiedOnce) {
  KeptBatches kept, none(0);
  EXPECT_EQ(kept.bytes(), 0);
  const at::Tensor first = embedded(kept);
  EXPECT_TRUE(first.allclose(embed_sentences(on_cpu_, store_, *alone_), 1e-5, 1e-5));
  // A token has three numbers of 4 bytes. The order of the rows is the one copy that is left.
  std::int64_t tokens = 0;
  for (std::uint32_t i = 0; i < store_.sentences(); ++i) tokens += static_cast<std::int64_t>(store_.length(i));
  EXPECT_GT(kept.bytes(), 12 * tokens);
  EXPECT_LT(kept.bytes(), 13 * tokens);
  const std::int64_t bytes = kept.bytes();
  EXPECT_EQ(copies(kept), 1);
  EXPECT_EQ(copies(none), 4);
  EXPECT_EQ(none.bytes(), 0);
  EXPECT_EQ(kept.bytes(), bytes);
  EXPECT_TRUE(embedded(kept).equal(first));
  EXPECT_TRUE(embedded(none).equal(first));
  // Batches do not depend on the parameters.
  change(encoder_, 2);
  const at::Tensor later = embedded(kept);
  EXPECT_FALSE(later.equal(first));
  EXPECT_TRUE(later.equal(embedded(none)));
}

TEST_F(KeptBatchesOnGpu, BatchesBeyondTheLimitAreCopiedEachTime) {
  KeptBatches all;
  const at::Tensor rows = embedded(all);
  KeptBatches some(all.bytes() - 1);
  EXPECT_TRUE(embedded(some).equal(rows));
  EXPECT_GT(some.bytes(), all.bytes() / 2);
  EXPECT_LT(some.bytes(), all.bytes());
  EXPECT_EQ(copies(some), 2);
  EXPECT_TRUE(embedded(some).equal(rows));
  KeptBatches exactly(all.bytes());
  embedded(exactly);
  EXPECT_EQ(exactly.bytes(), all.bytes());
}

/// Kept batches take no memory that an evaluation of whole batches needs.
TEST_F(KeptBatchesOnGpu, AreGivenBackWhereMemoryIsRefused) {
  KeptBatches none(0);
  const at::Tensor rows = embedded(none);
  /// Returns the number of copies to the GPU; 0 where memory is refused.
  const auto copies_in = [&](std::size_t limit, KeptBatches& kept) {
    pretended_gpu::limit_memory(limit);
    const std::int64_t before = pretended_gpu::counts().copies_to_gpu;
    std::int64_t made = 0;
    try {
      const at::Tensor found = embedded(kept);
      made = pretended_gpu::counts().copies_to_gpu - before;
      // Products of parts of a batch may round otherwise.
      EXPECT_TRUE(made > 4 ? found.allclose(rows, 1e-5, 1e-5) : found.equal(rows)) << made << " copies";
    } catch (const std::exception& error) {
      EXPECT_TRUE(ops::is_memory_refused(error)) << error.what();
    }
    pretended_gpu::limit_memory(0);
    return made;
  };
  // Where there is less memory batches are embedded in parts.
  std::size_t too_little = 1, enough = std::size_t{1} << 30;
  while (enough - too_little > 1024) {
    const std::size_t middle = (too_little + enough) / 2;
    (copies_in(middle, none) == 4 ? enough : too_little) = middle;
  }
  KeptBatches kept;
  embedded(kept);
  const std::int64_t bytes = kept.bytes();
  EXPECT_EQ(copies_in(enough + static_cast<std::size_t>(bytes), kept), 1);
  EXPECT_EQ(kept.bytes(), bytes);
  EXPECT_EQ(copies_in(enough, kept), 4);
  EXPECT_EQ(kept.bytes(), 0);
  EXPECT_EQ(copies(kept), 4) << "nothing is kept from then on";
  KeptBatches later;
  embedded(later);
  EXPECT_NE(copies_in(too_little, later), 4);
  EXPECT_EQ(later.bytes(), 0);
}

}  // namespace
}  // namespace gausscse
