#include "launcher/embeddings_of_model.hpp"

#include <span>

#include "base/content_hash.hpp"
#include "base/temporary_name.hpp"
#include "launcher/version.hpp"

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

/// Returns the description of the embeddings in their file.
EmbeddingsAttributes attributes_of(const std::string& path, const SentenceModel& model) {
  EmbeddingsAttributes attributes{.texts = {{"format", "gausscse-embeddings/1"},
                                            {"model", path},
                                            {"model_hash", model.hash()},
                                            {"similarity", std::string(name_of(model.properties.similarity))},
                                            {"precision", std::string(name_of(precision_of(*model.embedder)))},
                                            {"pooling", std::string(name_of(pooling_of(*model.embedder)))},
                                            {"max_tokens", max_tokens_text(model)},
                                            {"version", version()}},
                                  .counts = {{"cut_sentences", 0}}};
  if (!model.prompt.empty()) attributes.texts["prompt"] = model.prompt;
  return attributes;
}

std::vector<std::string> datasets_of(const SentenceModel& model) {
  if (is_gaussian(model.properties.similarity)) return {"mean", "log_var"};
  return {"embedding"};
}

std::span<const float> values_of(const at::Tensor& tensor) {
  return {tensor.const_data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

}  // namespace

EmbeddingsOfModel::EmbeddingsOfModel(const std::string& path, std::int64_t rows, const std::string& model_path,
                                     const SentenceModel& model, ExistingRows existing)
    : datasets_(datasets_of(model)), dimension_(model.embedder->width() / static_cast<std::int64_t>(datasets_.size())) {
  const EmbeddingsAttributes attributes = attributes_of(model_path, model);
  if (existing == ExistingRows::kept) existing_.emplace(path, datasets_, dimension_, attributes);
  remove_abandoned_siblings(path);
  writer_.emplace(path, datasets_, existing_rows() + rows, dimension_, attributes);
  if (existing_) existing_->copy_to(*writer_);
}

void EmbeddingsOfModel::append(const at::Tensor& embeddings) {
  std::vector<at::Tensor> parts;
  for (std::size_t i = 0; i < datasets_.size(); ++i)
    parts.push_back(embeddings.narrow(1, static_cast<std::int64_t>(i) * dimension_, dimension_).contiguous());
  std::vector<std::span<const float>> rows;
  for (const at::Tensor& part : parts) rows.push_back(values_of(part));
  writer_->append(rows);
}

void EmbeddingsOfModel::commit(std::int64_t cut_sentences) {
  writer_->set_count("cut_sentences", cut_sentences + (existing_ ? existing_->cut_sentences() : 0));
  writer_->commit();
}

}  // namespace gausscse
