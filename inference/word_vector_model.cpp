#include "inference/word_vector_model.hpp"

#include <optional>
#include <utility>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/user_paths.hpp"
#include "data/word_vectors/word_vectors.hpp"
#include "model/mean_of_vectors.hpp"

namespace gausscse {

SentenceModel open_word_vector_model(const std::filesystem::path& file, ControlGroup& ranks,
                                     const IndexProgress& on_index) {
  const auto open_vectors = [&] {
    return WordVectors::open(file, {.index_folder = user_cache_folder("word-vectors"),
                                    .hash_folder = hash_cache_folder(),
                                    .on_progress = on_index});
  };
  std::optional<WordVectors> opened;
  if (ranks.local_rank() == 0) opened = open_vectors();
  ranks.local_barrier();
  if (!opened) opened = open_vectors();
  const auto vectors = std::make_shared<const WordVectors>(std::move(*opened));

  SentenceModel model;
  model.notes.info = {concat(file.string(), ": ", vectors->words(), " words, ", vectors->width(), " values each")};
  if (vectors->repeated() > 0)
    model.notes.warnings.push_back(
        concat(file.string(), ": ", vectors->repeated(), " words come again: the last vector of each counts"));
  for (const std::string& warning : vectors->warnings()) model.notes.warnings.push_back(warning);
  model.embedder = std::make_unique<MeanOfVectors>([vectors](std::uint32_t word) { return vectors->row(word); },
                                                   static_cast<std::int64_t>(vectors->width()));
  model.tokenizer = std::make_unique<WordTokenizer>(vectors);
  model.parameters = model.embedding_parameters = static_cast<std::int64_t>(vectors->words() * vectors->width());
  model.positions = model.max_tokens = no_limit_of_tokens;
  model.agreement = concat("the word vectors ", vectors->content_hash(), "\n");
  return model;
}

}  // namespace gausscse
