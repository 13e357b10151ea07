#include "inference/search/rows_file.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/file_kind.hpp"
#include "dist/group_work.hpp"
#include "inference/embed_file.hpp"
#include "inference/search/parquet_vectors.hpp"

namespace gausscse {

namespace {

/// Rows of a file of embeddings that a rank reads at once.
constexpr std::uint64_t rows_of_read = 8192;

/// Throws InputError where the embeddings are not the model's.
void check_embeddings_of_model(const EmbeddingsReader& file, const std::string& path, const SentenceModel& model) {
  const Similarity similarity = model.properties.similarity;
  constexpr const char* remedy = ": encode its sentences with this model";
  if (file.is_gaussian() != is_gaussian(similarity))
    throw InputError(concat(path, ": the file has ", file.is_gaussian() ? "a mean and a log-variance" : "one vector",
                            " for each sentence, the model gives ",
                            is_gaussian(similarity) ? "a mean and a log-variance" : "one vector", remedy));
  if (const auto width = static_cast<std::uint64_t>(model.embedder->width()); file.width() != width)
    throw InputError(concat(path, ": the embeddings have ", file.dimension(), " dimensions, those of the model have ",
                            width / file.datasets().size(), remedy));
  const auto& attributes = file.attributes();
  if (const auto of_file = attributes.find("similarity");
      of_file != attributes.end() && of_file->second != name_of(similarity))
    throw InputError(concat(path, ": the embeddings are of a model with the similarity ", quoted(of_file->second),
                            ", this model has ", quoted(name_of(similarity)), remedy));
  if (const auto of_file = attributes.find("model_hash");
      of_file != attributes.end() && of_file->second != model.hash()) {
    const auto name = attributes.find("model");
    throw InputError(concat(path, ": the embeddings are of another model",
                            name == attributes.end() ? "" : concat(" (", quoted(name->second, 200), ")"),
                            ", or of this one with another --precision, --pooling or --max-tokens", remedy,
                            " and these options"));
  }
}

/// Throws InputError for a Parquet table, which `encode` writes, too: it would be read as text, a line a row.
void refuse_parquet(const std::filesystem::path& path) {
  if (is_parquet(path))
    throw InputError(concat(path.string(), ": this is ", parquet_kind,
                            ": give a text, or encode the sentences to .h5, .safetensors, .npz or .npy"));
}

/// Calls `work`; the message of an InputError that it throws gets the file's name in front.
template <typename Work>
void naming_file(const std::filesystem::path& path, const Work& work) {
  try {
    work();
  } catch (const InputError& error) {
    throw InputError(concat(path.string(), ": ", error.what()));
  }
}

}  // namespace

RowsFile::RowsFile(std::filesystem::path path, const SentenceModel& model, const SentenceFileSettings& settings)
    : path_(std::move(path)) {
  if (!is_embeddings_file(path_)) {
    refuse_parquet(path_);
    if (!model.tokenizer)
      throw InputError(concat(path_.string(), ": is a text, but the model is a head for vectors, without an encoder: ",
                              "give a file that gausscse apply wrote with this head"));
    text_.emplace(path_, settings);
    return;
  }
  embeddings_.emplace(path_);
  if (embeddings_->rows() == 0)
    throw InputError(concat(path_.string(), ": the file has no rows: encode some sentences"));
  check_embeddings_of_model(*embeddings_, path_.string(), model);
}

std::string RowsFile::content_hash() const {
  return text_ ? text_->content_hash() : gausscse::content_hash(path_);
}

at::Tensor read_embeddings(const EmbeddingsReader& file, std::uint64_t first, std::uint64_t count) {
  at::Tensor rows = at::empty({static_cast<std::int64_t>(count), static_cast<std::int64_t>(file.width())}, at::kFloat);
  file.read(first, std::span<float>(rows.mutable_data_ptr<float>(), static_cast<std::size_t>(rows.numel())));
  return rows;
}

Notes read_rows(RowsFile& file, SentenceModel& model, Communicator& communicator, const ReadRowsSettings& settings,
                const std::function<void(const at::Tensor& rows, std::uint64_t first_row)>& take) {
  const auto rank = static_cast<std::uint64_t>(communicator.rank()),
             size = static_cast<std::uint64_t>(communicator.size());
  const bool in_parts = settings.of_rank == RowsOfRank::part;
  if (file.is_text()) {
    std::uint64_t first_row = 0;
    return embed_file(file.text(), model, communicator,
                      {.name = file.path().string(),
                       .threads = settings.threads,
                       .on_block = settings.on_block,
                       .choose = settings.choose,
                       .on_every_rank = true},
                      [&](const at::Tensor& block) {
                        const auto count = static_cast<std::uint64_t>(block.size(0));
                        const std::uint64_t begin = in_parts ? count * rank / size : 0;
                        const std::uint64_t end = in_parts ? count * (rank + 1) / size : count;
                        run_on_ranks(communicator, begin < end, [&] {
                          const at::Tensor rows =
                              block.narrow(0, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end - begin));
                          naming_file(file.path(), [&] { take(rows, first_row + begin); });
                        });
                        first_row += count;
                      });
  }
  const std::uint64_t rows_of_round = in_parts ? rows_of_read * size : rows_of_read;
  for (std::uint64_t round = 0; round < file.rows(); round += rows_of_round) {
    const std::uint64_t first = in_parts ? round + rank * rows_of_read : round;
    run_on_ranks(communicator, first < file.rows(), [&] {
      const at::Tensor rows = read_embeddings(file.embeddings(), first, std::min(rows_of_read, file.rows() - first));
      naming_file(file.path(), [&] { take(rows, first); });
    });
    if (settings.on_block) settings.on_block(std::min(file.rows(), round + rows_of_round));
  }
  return {};
}

}  // namespace gausscse
