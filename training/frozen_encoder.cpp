#include "training/frozen_encoder.hpp"

#include "base/error.hpp"
#include "inference/embed_sentences.hpp"
#include "inference/sentence_batches.hpp"
#include "training/gradient_reduction.hpp"

namespace gausscse {

namespace {

SentenceEncoderSettings settings_of_trained(const SentenceEncoder& encoder, PooledVectors& vectors) {
  SentenceEncoderSettings settings = encoder.settings();
  settings.vectors = &vectors;
  return settings;
}

}  // namespace

FrozenEncoder::FrozenEncoder(SentenceEncoder& encoder)
    : encoder_(encoder),
      pooled_(encoder, encoder.settings().pooling),
      vectors_(pooled_),
      trained_(settings_of_trained(encoder, vectors_)) {
  trained_.parameters().values().copy_(last_elements(encoder.parameters().values(), trained_.parameters().values()));
  trained_.parameters_changed();
}

void FrozenEncoder::embed(const TokenStore& store, Communicator& communicator, TrainingObserver& observer) {
  std::size_t done = 0;
  observer.on_embedded(done, store.sentences());
  embed_in_blocks(pooled_, store, communicator, [&](std::span<const std::uint32_t> sentences, const at::Tensor& rows) {
    const SentenceTokens tokens = tokens_of(sentences, store);
    vectors_.keep(tokens.ids, tokens.offsets, rows);
    observer.on_embedded(done += sentences.size(), store.sentences());
  });
  const auto bytes = static_cast<std::size_t>(pooled_.width()) * pooled_.options().dtype().itemsize();
  observer.on_note(concat("the head alone is trained: ", vectors_.size(),
                          " distinct sentences went through the encoder (", name_of(encoder_.settings().precision),
                          "), their vectors take ", (vectors_.size() * bytes) >> 20, " MiB a rank"));
}

void FrozenEncoder::take_trained() {
  last_elements(encoder_.parameters().values(), trained_.parameters().values()).copy_(trained_.parameters().values());
  encoder_.parameters_changed();
}

}  // namespace gausscse
