#include "inference/search/model_embeddings.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/temporary_name.hpp"

namespace gausscse {

namespace {

/// Returns the precision of its matmuls; word vectors are added in float32.
Precision precision_of(SentenceEmbedder& embedder) {
  const SentenceEncoder* encoder = encoder_of(embedder);
  return encoder ? encoder->settings().precision : Precision::full;
}

/// Returns the pooling of token states; word vectors are averaged.
PoolingKind pooling_of(SentenceEmbedder& embedder) {
  const SentenceEncoder* encoder = encoder_of(embedder);
  return encoder ? encoder->settings().pooling : PoolingKind::mean;
}

std::string max_tokens_text(const SentenceModel& model) {
  return model.max_tokens == no_limit_of_tokens ? "none" : std::to_string(model.max_tokens);
}

}  // namespace

std::vector<std::string> datasets_of_embeddings(bool is_gaussian) {
  if (is_gaussian) return {"mean", "log_var"};
  return {"embedding"};
}

std::map<std::string, std::string> description_of_embeddings(const std::string& path, const SentenceModel& model,
                                                             const std::string& version) {
  std::map<std::string, std::string> texts{{"format", "gausscse-embeddings/1"},
                                           {"model", path},
                                           {"model_hash", model.hash()},
                                           {"similarity", std::string(name_of(model.properties.similarity))},
                                           {"precision", std::string(name_of(precision_of(*model.embedder)))},
                                           {"pooling", std::string(name_of(pooling_of(*model.embedder)))},
                                           {"max_tokens", max_tokens_text(model)},
                                           {"version", version}};
  if (!model.prompt.empty()) texts["prompt"] = model.prompt;
  return texts;
}

void append_embeddings(const at::Tensor& rows, std::size_t matrices, EmbeddingsWriter& writer) {
  const std::int64_t dimension = rows.size(1) / static_cast<std::int64_t>(matrices);
  std::vector<at::Tensor> parts;
  for (std::size_t i = 0; i < matrices; ++i)
    parts.push_back(rows.narrow(1, static_cast<std::int64_t>(i) * dimension, dimension).contiguous());
  std::vector<std::span<const float>> values;
  for (const at::Tensor& part : parts)
    values.emplace_back(part.const_data_ptr<float>(), static_cast<std::size_t>(part.numel()));
  writer.append(values);
}

void save_embeddings(const std::filesystem::path& path, const at::Tensor& rows, bool is_gaussian,
                     std::map<std::string, std::string> description, ExistingFile existing) {
  constexpr std::int64_t rows_at_once = 8192;
  check_output_file("path", path, {}, existing);
  const std::vector<std::string> datasets = datasets_of_embeddings(is_gaussian);
  remove_abandoned_siblings(path);
  EmbeddingsWriter writer(path, datasets, rows.size(0), rows.size(1) / static_cast<std::int64_t>(datasets.size()),
                          {.texts = std::move(description), .counts = {}});
  for (std::int64_t first = 0; first < rows.size(0); first += rows_at_once)
    append_embeddings(rows.narrow(0, first, std::min(rows_at_once, rows.size(0) - first)), datasets.size(), writer);
  writer.commit();
}

}  // namespace gausscse
