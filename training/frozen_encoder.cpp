#include "training/frozen_encoder.hpp"

#include <c10/core/ScalarType.h>

#include <chrono>
#include <cstdint>
#include <vector>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "dist/group_work.hpp"
#include "inference/embed_sentences.hpp"
#include "inference/sentence_batches.hpp"
#include "results/text_table.hpp"
#include "training/gradient_reduction.hpp"
#include "training/vector_cache.hpp"

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

std::string FrozenEncoder::key_of(const TokenStore& store, const std::string& program,
                                  const std::string& arithmetic) const {
  const SentenceEncoderSettings& settings = encoder_.settings();
  const at::Tensor values = encoder_.parameters().values();
  const at::Tensor weights = values.narrow(0, 0, values.numel() - trained_.parameters().values().numel()).cpu();
  // Token ids hold the effect of the tokenizer, the cut to max_tokens and the trim.
  ContentHasher sentences;
  std::vector<std::uint32_t> ids;
  for (std::size_t i = 0; i < store.sentences(); ++i) {
    ids.assign(1, static_cast<std::uint32_t>(store.length(static_cast<std::uint32_t>(i))));
    store.append_tokens(static_cast<std::uint32_t>(i), ids);
    sentences.add({reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof ids[0]});
  }
  return content_hash_of(
      concat("version 1\nprogram ", program, "\n", arithmetic, "encoder ", to_config_json(settings.encoder),
             "\nweights ", content_hash_of({static_cast<const char*>(weights.const_data_ptr()), weights.nbytes()}),
             "\npooling ", name_of(settings.pooling), "\nprecision ", name_of(settings.precision), "\ntype ",
             c10::toString(settings.type), "\nfixed tiles ", settings.fixed_tiles, "\nsentences ", sentences.digits()));
}

std::size_t FrozenEncoder::mebibytes() const {
  const auto bytes = static_cast<std::size_t>(pooled_.width()) * pooled_.options().dtype().itemsize();
  return (vectors_.size() * bytes) >> 20;
}

void FrozenEncoder::embed(const TokenStore& store, const Cache& cache, Communicator& communicator,
                          TrainingObserver& observer, TrainingRequests& requests) {
  using Clock = std::chrono::steady_clock;
  LongOperation at_files(communicator);
  const Clock::time_point begin = Clock::now();
  const std::string program = program_hash();
  VectorCache kept(program.empty() ? "" : cache.cache_folder, key_of(store, program, cache.arithmetic), store);
  const bool has_all = kept.read(vectors_);
  const std::chrono::duration<double> seconds = Clock::now() - begin;
  at_files.end();
  if (is_true_on_any(communicator, !has_all)) {
    embed_all(store, communicator, observer, requests);
    const LongOperation writing(communicator);
    if (communicator.local_rank() == 0 && !has_all && kept.write(vectors_))
      observer.on_note(concat("sentence vectors: kept in ", kept.file().string(), ", ", mebibytes(), " MiB"));
  } else {
    observer.on_note(concat("sentence vectors: read from ", kept.file().string(), ", ", vectors_.size(),
                            " distinct sentences, ", mebibytes(), " MiB a rank, in ", fixed_text(seconds.count(), 2),
                            " s"));
  }
  if (communicator.local_rank() == 0)
    for (const std::string& warning : kept.warnings()) observer.on_warning(warning);
}

void FrozenEncoder::embed_all(const TokenStore& store, Communicator& communicator, TrainingObserver& observer,
                              TrainingRequests& requests) {
  std::size_t done = 0;
  observer.on_embedded(done, store.sentences());
  embed_in_blocks(pooled_, store, communicator, [&](std::span<const std::uint32_t> sentences, const at::Tensor& rows) {
    const SentenceTokens tokens = tokens_of(sentences, store);
    vectors_.keep(tokens.ids, tokens.offsets, rows);
    observer.on_embedded(done += sentences.size(), store.sentences());
    if (done < store.sentences() && is_true_on_any(communicator, requests.stop()))
      throw TrainingStopped(concat("stopped after ", done, " of ", store.sentences(),
                                   " sentences went through the encoder, before the training, after a signal; the same "
                                   "command goes on, and embeds all of them"));
  });
  observer.on_note(concat("the head alone is trained: ", vectors_.size(),
                          " distinct sentences went through the encoder (", name_of(encoder_.settings().precision),
                          "), their vectors take ", mebibytes(), " MiB a rank"));
}

void FrozenEncoder::take_trained() {
  last_elements(encoder_.parameters().values(), trained_.parameters().values()).copy_(trained_.parameters().values());
  encoder_.parameters_changed();
}

}  // namespace gausscse
