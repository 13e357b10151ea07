#include "launcher/word_vector_model.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <utility>

#include "base/cache_folder.hpp"
#include "base/content_hash_cache.hpp"
#include "base/error.hpp"
#include "base/terminal.hpp"
#include "data/word_vectors/word_tokenizer.hpp"
#include "launcher/status_line.hpp"
#include "model/mean_of_vectors.hpp"

namespace gausscse {

namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

WordVectors open_vectors(const std::filesystem::path& file, ControlGroup& ranks, bool show_progress) {
  StatusLine line(show_progress && ranks.is_root(), is_drawing_terminal(STDERR_FILENO));
  bool told = false;
  const auto on_progress = [&](std::uint64_t done, std::uint64_t all) {
    if (!std::exchange(told, true)) spdlog::info("{}: making an index of its words, once", file.string());
    if (!line.due(done == all)) return;
    char text[96];
    std::snprintf(text, sizeof text, "%llu/%llu MiB of word vectors", static_cast<unsigned long long>(done / mebibyte),
                  static_cast<unsigned long long>(all / mebibyte));
    line.show(text, done == all);
  };
  return WordVectors::open(file, {.index_folder = user_cache_folder("word-vectors"),
                                  .hash_folder = hash_cache_folder(),
                                  .on_progress = on_progress});
}

}  // namespace

MeasuredModel open_word_vector_model(const std::filesystem::path& file, ControlGroup& ranks, bool show_progress) {
  std::optional<WordVectors> opened;
  if (ranks.local_rank() == 0) opened = open_vectors(file, ranks, show_progress);
  ranks.local_barrier();
  if (!opened) opened = open_vectors(file, ranks, show_progress);
  const auto vectors = std::make_shared<const WordVectors>(std::move(*opened));

  spdlog::info("{}: {} words, {} values each", file.string(), vectors->words(), vectors->width());
  if (vectors->repeated() > 0)
    spdlog::warn("{}: {} words come again: the last vector of each counts", file.string(), vectors->repeated());
  for (const std::string& warning : vectors->warnings()) spdlog::warn(warning);

  MeasuredModel model;
  model.embedder = std::make_unique<MeanOfVectors>([vectors](std::uint32_t word) { return vectors->row(word); },
                                                   static_cast<std::int64_t>(vectors->width()));
  model.tokenizer = std::make_unique<WordTokenizer>(vectors);
  model.parameters = model.embedding_parameters = static_cast<std::int64_t>(vectors->words() * vectors->width());
  model.positions = model.max_tokens = no_limit_of_tokens;
  model.agreement = concat("the word vectors ", vectors->content_hash(), "\n");
  return model;
}

}  // namespace gausscse
