#include "inference/word_vector_model.hpp"

#include <memory>

#include "base/error.hpp"
#include "data/word_vectors/word_vectors.hpp"
#include "model/mean_of_vectors.hpp"

namespace gausscse {

SentenceModel open_word_vector_model(const std::filesystem::path& file, const ReadProgress& progress) {
  const auto vectors = std::make_shared<const WordVectors>(file, progress);

  SentenceModel model;
  model.notes.info = {concat(file.string(), ": ", vectors->words(), " words, ", vectors->width(), " values each")};
  if (vectors->repeated() > 0)
    model.notes.warnings.push_back(
        concat(file.string(), ": ", vectors->repeated(), " words come again: the last vector of each counts"));
  model.embedder = std::make_unique<MeanOfVectors>([vectors](std::uint32_t word) { return vectors->row(word); },
                                                   static_cast<std::int64_t>(vectors->width()));
  model.tokenizer = std::make_unique<WordTokenizer>(vectors);
  model.parameters = model.embedding_parameters = static_cast<std::int64_t>(vectors->words() * vectors->width());
  model.positions = model.max_tokens = no_limit_of_tokens;
  model.word_vectors = vectors->content_hash();
  model.identity = concat("the word vectors ", model.word_vectors, "\n");
  return model;
}

}  // namespace gausscse
