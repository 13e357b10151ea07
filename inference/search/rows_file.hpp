#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dist/communicator.hpp"
#include "inference/sentence_file.hpp"
#include "inference/sentence_model.hpp"
#include "results/embeddings_file.hpp"

namespace gausscse {

/// A user's file of rows for a model, recognised by its first bytes: a text, whose sentences the model embeds, or a
/// file of embeddings that `encode` wrote.
class RowsFile {
 public:
  /// Opens the file; a text is read once, to find bad lines. Throws InputError, also for embeddings that are not those
  /// of `model`: of another width or similarity, or with another hash of the model where the file has it; and for a
  /// text where the model embeds none.
  RowsFile(std::filesystem::path path, const SentenceModel& model, const SentenceFileSettings& settings);

  const std::filesystem::path& path() const { return path_; }
  bool is_text() const { return text_.has_value(); }
  /// Returns the number of rows; of a text that of its lines.
  std::uint64_t rows() const { return text_ ? text_->lines() : embeddings_->rows(); }
  /// Returns the XXH3-128 of the file, which is read for it if it is one of embeddings.
  std::string content_hash() const;

  SentenceFile& text() { return *text_; }
  const SentenceFile& text() const { return *text_; }
  const EmbeddingsReader& embeddings() const { return *embeddings_; }

 private:
  std::filesystem::path path_;
  std::optional<SentenceFile> text_;
  std::optional<EmbeddingsReader> embeddings_;
};

/// Rows that a rank gets: all of them, or a part, so that all ranks together get every row once.
enum class RowsOfRank { all, part };

struct ReadRowsSettings {
  RowsOfRank of_rank = RowsOfRank::all;
  std::size_t threads = 1;                                     ///< threads that tokenise
  std::function<void(std::uint64_t rows_done)> on_block = {};  ///< called after each block, on every rank
  std::function<void(std::vector<std::string>&)> choose = {};  ///< as in EmbedFileSettings
};

/// Gives the rows of `file` to `take`, on the CPU, in blocks with the number of their first row, as `embed_file` gives
/// them. Sentences that are not chosen have no number. Memory does not grow with the file. What `take` throws as an
/// InputError is thrown on all ranks, and begins with the path; it calls no collective. Returns notes on sentences.
/// Collective.
Notes read_rows(RowsFile& file, SentenceModel& model, Communicator& communicator, const ReadRowsSettings& settings,
                const std::function<void(const at::Tensor& rows, std::uint64_t first_row)>& take);

/// Returns rows [first, first + count) of a file of embeddings, [count, width].
at::Tensor read_embeddings(const EmbeddingsReader& file, std::uint64_t first, std::uint64_t count);

}  // namespace gausscse
