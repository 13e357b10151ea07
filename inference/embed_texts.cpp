#include "inference/embed_texts.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "data/corpus/sentence.hpp"
#include "data/corpus/token_store.hpp"
#include "dist/communicator.hpp"
#include "inference/embed_sentences.hpp"

namespace gausscse {

namespace {

/// Embedder that counts the sentences that it embeds and calls `watch`.
class WatchedEmbedder final : public SentenceEmbedder {
 public:
  WatchedEmbedder(SentenceEmbedder& embedder, const EmbeddingWatch& watch) : embedder_(embedder), watch_(watch) {}

  std::int64_t width() const override { return embedder_.width(); }
  at::TensorOptions options() const override { return embedder_.options(); }
  PackedBatch pack(std::span<const std::uint32_t> ids, std::span<const std::uint32_t> offsets) const override {
    return embedder_.pack(ids, offsets);
  }
  std::unique_ptr<BatchEmbedder> make_batch_embedder() override {
    return std::make_unique<Batches>(*this, embedder_.make_batch_embedder());
  }

 private:
  class Batches final : public BatchEmbedder {
   public:
    Batches(WatchedEmbedder& all, std::unique_ptr<BatchEmbedder> own) : all_(all), own_(std::move(own)) {}
    at::Tensor embed(const PackedBatch& batch) override {
      at::Tensor rows = own_->embed(batch);
      const std::size_t done = all_.done_ += static_cast<std::size_t>(rows.size(0));
      if (std::this_thread::get_id() == all_.caller_) all_.watch_(done);
      return rows;
    }
    void release_memory() override { own_->release_memory(); }

   private:
    WatchedEmbedder& all_;
    std::unique_ptr<BatchEmbedder> own_;
  };

  SentenceEmbedder& embedder_;
  const EmbeddingWatch& watch_;
  std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<std::size_t> done_ = 0;
};

}  // namespace

EmbeddedTexts embed_texts(std::vector<std::string> sentences, SentenceModel& model, std::size_t threads,
                          const EmbeddingWatch& watch) {
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    if (find_invalid_utf8(sentences[i]) != std::string_view::npos)
      throw InputError(concat("sentence ", i, " (from 0): ", quoted(sentences[i]), " is not UTF-8"));
    if (model.properties.trim) sentences[i] = std::string(trimmed(sentences[i]));
  }
  if (sentences.empty()) return {at::empty({0, model.embedder->width()}), {}};
  at::set_num_threads(static_cast<int>(std::max<std::size_t>(threads, 1)));
  const std::function<void()> tokenizing_watch = watch ? [&] { watch(0); } : std::function<void()>();
  const TokenStore store =
      TokenStore::from_sentences(sentences, *model.tokenizer, model.max_tokens, threads, tokenizing_watch);
  EmbeddedTexts result;
  note_token_counts("sentences", store.token_counts().front(), model.max_tokens, model.positions, result.notes);
  const auto alone = make_self_communicator();
  if (watch) {
    WatchedEmbedder watched(*model.embedder, watch);
    result.rows = embed_sentences(watched, store, *alone);
  } else {
    result.rows = embed_sentences(*model.embedder, store, *alone);
  }
  return result;
}

}  // namespace gausscse
