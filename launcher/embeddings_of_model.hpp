#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inference/sentence_model.hpp"
#include "launcher/encoded_rows.hpp"
#include "results/embeddings_file.hpp"

namespace gausscse {

/// Treatment of the rows of a file that is there.
enum class ExistingRows { replaced, kept };

/// File of embeddings of a model, as `encode` and `apply` write it: mean and log_var, or embedding, with attributes
/// that name the model. It appears with `commit`.
///
///     EmbeddingsOfModel file("vectors.h5", 1000, "runs/first/model", model);
///     file.append(embeddings);  // [n, width] on the CPU, until 1000 rows are there
///     file.commit(0);
class EmbeddingsOfModel {
 public:
  /// Makes the file under a temporary name, and removes such files of killed processes. `model_path` is the model as
  /// the user gave it. Rows that are kept stand before the `rows` new ones. Throws as EmbeddingsWriter does, and as
  /// EncodedRows does if rows are kept.
  EmbeddingsOfModel(const std::string& path, std::int64_t rows, const std::string& model_path,
                    const SentenceModel& model, ExistingRows existing = ExistingRows::replaced);

  /// Returns the number of rows that are kept.
  std::int64_t existing_rows() const { return existing_ ? existing_->rows() : 0; }
  /// Returns a note that their file has no checksum; empty if it has.
  std::string note() const { return existing_ ? existing_->note() : std::string(); }
  /// Returns a warning if another version wrote them, else an empty text.
  std::string warning() const { return existing_ ? existing_->warning() : std::string(); }

  /// Returns the number of values of a mean, or of an embedding.
  std::int64_t dimension() const { return dimension_; }
  void append(const at::Tensor& embeddings);
  void commit(std::int64_t cut_sentences);

 private:
  std::vector<std::string> datasets_;
  std::int64_t dimension_;
  std::optional<EncodedRows> existing_;
  std::optional<EmbeddingsWriter> writer_;
};

}  // namespace gausscse
