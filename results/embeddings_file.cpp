#include "results/embeddings_file.hpp"

#include <unistd.h>

#include <cstdint>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "base/temporary_name.hpp"
#include "parquet_plugin/loaded_plugin.hpp"
#include "results/embeddings_output.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

constexpr const char* suffixes_that_work =
    "name the file .h5 or .hdf5 (HDF5), .npz, .safetensors, .parquet, or .npy (of models that are not Gaussian)";

}  // namespace

EmbeddingsWriter::EmbeddingsWriter(const fs::path& path, const std::vector<std::string>& names, std::int64_t sentences,
                                   std::int64_t dimension, EmbeddingsAttributes attributes)
    : path_(path),
      temporary_(temporary_sibling(path)),
      sentences_(sentences),
      dimension_(dimension),
      datasets_(names.size()),
      format_(embeddings_format(path, names.size())),
      attributes_(valid_attributes(std::move(attributes))),
      seal_(names, static_cast<std::uint64_t>(sentences), static_cast<std::uint64_t>(dimension)) {
  set_seal();
  file_ = file_calls::create_file(temporary_);
  try {
    output_ = make_embeddings_output(format_, file_, temporary_, {names, sentences, dimension}, attributes_);
  } catch (...) {
    ::unlink(temporary_.c_str());
    throw;
  }
}

EmbeddingsWriter::~EmbeddingsWriter() {
  if (!committed_) ::unlink(temporary_.c_str());
}

void EmbeddingsWriter::append(const std::vector<std::span<const float>>& rows) {
  GAUSSCSE_CHECK(rows.size() == datasets_, rows.size(), " of ", datasets_);
  const std::size_t values = rows.front().size();
  for (const std::span<const float> of_dataset : rows)
    GAUSSCSE_CHECK(of_dataset.size() == values, of_dataset.size(), " and ", values);
  if (values == 0) return;
  GAUSSCSE_CHECK(!committed_ && dimension_ > 0, values, " values");
  const auto count = static_cast<std::int64_t>(values) / dimension_;
  GAUSSCSE_CHECK(static_cast<std::size_t>(count * dimension_) == values && count <= sentences_ - written_, values,
                 " values after row ", written_, " of ", sentences_);
  output_->append(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) seal_.add(i, bytes_of(rows[i]));
  written_ += count;
}

void EmbeddingsWriter::set_count(const std::string& name, std::int64_t value) {
  GAUSSCSE_CHECK(attributes_.counts.contains(name), name, " is no count of the file");
  attributes_.counts[name] = value;
}

void EmbeddingsWriter::set_seal() {
  if (format_ == EmbeddingsFormat::parquet) return;
  const bool holds_attributes = format_ != EmbeddingsFormat::npy;
  attributes_.texts[embeddings_seal] =
      seal_.digits(holds_attributes ? texts_of(attributes_) : std::map<std::string, std::string>());
}

void EmbeddingsWriter::commit() {
  GAUSSCSE_CHECK(!committed_ && (written_ == sentences_ || dimension_ == 0), written_, " of ", sentences_);
  set_seal();
  output_->finish(attributes_);
  committed_ = true;
  put_in_place(std::move(file_), temporary_, path_);
}

EmbeddingsFormat embeddings_format(const fs::path& path, std::size_t datasets) {
  const std::string suffix = path.extension().string();
  if (suffix == ".npy" && datasets > 1)
    throw InputError(concat(path.string(),
                            ": a .npy file holds one array, and this model gives a mean and a "
                            "log-variance: name it .h5, .hdf5, .npz, .safetensors or .parquet"));
  if (suffix == ".npy") return EmbeddingsFormat::npy;
  if (suffix == ".npz") return EmbeddingsFormat::npz;
  if (suffix == ".safetensors") return EmbeddingsFormat::safetensors;
  if (suffix.empty() || suffix == ".h5" || suffix == ".hdf5") return EmbeddingsFormat::hdf5;
  if (suffix != ".parquet")
    throw InputError(
        concat(path.string(), ": embeddings are not written as ", quoted(suffix), ": ", suffixes_that_work));
  try {
    parquet_plugin();
  } catch (const InputError& error) {
    throw InputError(concat(path.string(), ": no Parquet table can be written: ", error.what(), ": or ",
                            "name the file .h5, .npz or .safetensors"));
  }
  return EmbeddingsFormat::parquet;
}

}  // namespace gausscse
