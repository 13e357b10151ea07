#include "launcher/embeddings_of_model.hpp"

#include "base/temporary_name.hpp"
#include "inference/search/model_embeddings.hpp"
#include "launcher/version.hpp"
#include "model/similarities/list.hpp"

namespace gausscse {

EmbeddingsOfModel::EmbeddingsOfModel(const std::string& path, std::int64_t rows, const std::string& model_path,
                                     const SentenceModel& model, ExistingRows existing)
    : datasets_(datasets_of_embeddings(is_gaussian(model.properties.similarity))),
      dimension_(model.embedder->width() / static_cast<std::int64_t>(datasets_.size())) {
  const EmbeddingsAttributes attributes{.texts = description_of_embeddings(model_path, model, version()),
                                        .counts = {{"cut_sentences", 0}}};
  if (existing == ExistingRows::kept) existing_.emplace(path, datasets_, dimension_, attributes);
  remove_abandoned_siblings(path);
  writer_.emplace(path, datasets_, existing_rows() + rows, dimension_, attributes);
  if (existing_) existing_->copy_to(*writer_);
}

void EmbeddingsOfModel::append(const at::Tensor& embeddings) {
  append_embeddings(embeddings, datasets_.size(), *writer_);
}

void EmbeddingsOfModel::commit(std::int64_t cut_sentences) {
  writer_->set_count("cut_sentences", cut_sentences + (existing_ ? existing_->cut_sentences() : 0));
  writer_->commit();
}

}  // namespace gausscse
