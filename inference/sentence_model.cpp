#include "inference/sentence_model.hpp"

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "model/folder/weights_hash.hpp"

namespace gausscse {

std::string SentenceModel::agreement() const {
  const SentenceEncoder* const encoder = embedder ? encoder_of(*embedder) : nullptr;
  if (!encoder) return identity;
  const at::Tensor weights = encoder->parameters().values().cpu();
  return concat("the weights ", content_hash_of({static_cast<const char*>(weights.const_data_ptr()), weights.nbytes()}),
                "\n", identity);
}

std::string weights_of(const SentenceModel& model) {
  const SentenceEncoder* encoder = encoder_of(*model.embedder);
  return encoder ? weights_hash(encoder->parameters()) : model.word_vectors;
}

}  // namespace gausscse
