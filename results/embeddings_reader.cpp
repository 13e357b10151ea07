#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/file_kind.hpp"
#include "base/lists.hpp"
#include "results/embeddings_content.hpp"
#include "results/embeddings_file.hpp"

namespace gausscse {

namespace {

constexpr const char* embeddings_remedy =
    "give a file that `gausscse encode` wrote as .h5, .safetensors, .npz or .npy, or one with the same matrices";

const StoredMatrix* find_matrix(const EmbeddingsContent& content, const char* name) {
  const auto found = std::ranges::find(content.matrices, name, &StoredMatrix::name);
  return found == content.matrices.end() ? nullptr : &*found;
}

/// Returns the matrices whose rows, one behind the other, are the embeddings.
std::vector<const StoredMatrix*> matrices_of_rows(const EmbeddingsContent& content, const std::filesystem::path& path) {
  const StoredMatrix *mean = find_matrix(content, "mean"), *log_var = find_matrix(content, "log_var"),
                     *embedding = find_matrix(content, "embedding");
  if (mean && log_var) {
    if (mean->rows != log_var->rows || mean->columns != log_var->columns)
      throw InputError(concat(path.string(), ": mean is [", mean->rows, ", ", mean->columns, "], but log_var is [",
                              log_var->rows, ", ", log_var->columns, "]: ", embeddings_remedy));
    return {mean, log_var};
  }
  if (embedding) return {embedding};
  throw InputError(concat(path.string(), ": holds neither the float32 matrices \"mean\" and \"log_var\" nor ",
                          "\"embedding\", each in one piece: ", embeddings_remedy));
}

/// Throws InputError unless all values of the matrix lie in the file.
void check_lies_in(const OpenFile& file, const StoredMatrix& matrix, const std::filesystem::path& path) {
  std::uint64_t bytes = sizeof(float), end = 0;
  if (__builtin_mul_overflow(bytes, matrix.rows, &bytes) || __builtin_mul_overflow(bytes, matrix.columns, &bytes) ||
      __builtin_add_overflow(bytes, matrix.offset, &end) || end > file.size)
    throw InputError(concat(path.string(), ": ", matrix.name, " is [", matrix.rows, ", ", matrix.columns,
                            "], but the file ends before its last value: get it again"));
}

/// Throws InputError unless the values and the attributes have this checksum.
void check_seal(const OpenFile& file, const std::filesystem::path& path,
                const std::vector<const StoredMatrix*>& matrices, const EmbeddingsContent& content,
                const std::string& digits) {
  constexpr std::uint64_t bytes_of_piece = std::uint64_t{1} << 20;
  const StoredMatrix& shape = *matrices.front();
  std::vector<std::string> names;
  for (const StoredMatrix* matrix : matrices) names.push_back(matrix->name);
  EmbeddingsSeal seal(names, shape.rows, shape.columns);
  const std::uint64_t bytes = shape.rows * shape.columns * sizeof(float);
  std::string piece;
  for (std::size_t i = 0; i < matrices.size(); ++i)
    for (std::uint64_t done = 0; done < bytes; done += piece.size()) {
      piece.resize(static_cast<std::size_t>(std::min(bytes_of_piece, bytes - done)));
      read_at(file, matrices[i]->offset + done, piece.data(), piece.size(), path);
      seal.add(i, piece);
    }
  if (seal.digits(content.attributes) != digits)
    throw InputError(concat(path.string(), ": the file is damaged, as it differs from its checksum, the attribute \"",
                            embeddings_seal, "\": get it again, or encode it again; if you changed it on purpose, ",
                            "save it without this attribute"));
}

}  // namespace

bool is_embeddings_file(const std::filesystem::path& path) {
  return format_of_content(open_regular_file(path), path).has_value();
}

EmbeddingsReader::EmbeddingsReader(const std::filesystem::path& path) : path_(path), file_(open_regular_file(path)) {
  const std::optional<EmbeddingsFormat> format = format_of_content(file_, path);
  if (!format) throw InputError(concat(path.string(), ": this is no file of embeddings: ", embeddings_remedy));
  format_ = *format;
  EmbeddingsContent content = read_embeddings_content(format_, file_, path);
  const std::vector<const StoredMatrix*> matrices = matrices_of_rows(content, path);
  for (const StoredMatrix* matrix : matrices) {
    check_lies_in(file_, *matrix, path);
    rows_ = matrix->rows;
    dimension_ = matrix->columns;
    datasets_.push_back(matrix->name);
    offsets_.push_back(matrix->offset);
  }
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (rows_ > most || dimension_ > most / (2 * sizeof(float)))
    throw InputError(concat(path.string(), ": [", rows_, ", ", dimension_, "] is no size of a matrix: get it again"));
  const auto seal = content.attributes.find(embeddings_seal);
  is_checked_ = content.is_checked || seal != content.attributes.end();
  if (seal != content.attributes.end()) check_seal(file_, path, matrices, content, seal->second);
  attributes_ = std::move(content.attributes);
  attributes_.erase(embeddings_seal);
}

std::string EmbeddingsReader::note() const {
  if (is_checked_) return "";
  return concat(path_.string(), ": unchecked: the file has no checksum, as other programs and earlier versions write ",
                "it, so that damage goes unnoticed");
}

std::vector<float> EmbeddingsReader::read(std::uint64_t first, std::uint64_t count) const {
  std::vector<float> values(static_cast<std::size_t>(count * width()));
  read(first, values);
  return values;
}

void EmbeddingsReader::read(std::uint64_t first, std::span<float> rows) const {
  if (rows.empty()) return;
  const std::uint64_t count = rows.size() / width();
  GAUSSCSE_CHECK(count * width() == rows.size() && first <= rows_ && count <= rows_ - first, rows.size(),
                 " values from row ", first, " of ", rows_);
  const std::size_t row_bytes = static_cast<std::size_t>(dimension_) * sizeof(float);
  if (datasets_.size() == 1) {
    read_at(file_, offsets_.front() + first * row_bytes, reinterpret_cast<char*>(rows.data()), rows.size_bytes(),
            path_);
    return;
  }
  // Blocks of about a MiB, so that the memory besides `rows` stays small.
  const std::uint64_t rows_of_block = std::max<std::uint64_t>(1, (std::uint64_t{1} << 20) / row_bytes);
  std::vector<float> block;
  for (std::size_t d = 0; d < datasets_.size(); ++d) {
    for (std::uint64_t done = 0; done < count;) {
      const std::uint64_t some = std::min(rows_of_block, count - done);
      block.resize(static_cast<std::size_t>(some * dimension_));
      read_at(file_, offsets_[d] + (first + done) * row_bytes, reinterpret_cast<char*>(block.data()),
              block.size() * sizeof(float), path_);
      for (std::uint64_t row = 0; row < some; ++row)
        std::copy_n(block.begin() + static_cast<std::ptrdiff_t>(row * dimension_), dimension_,
                    rows.begin() + static_cast<std::ptrdiff_t>((done + row) * width() + d * dimension_));
      done += some;
    }
  }
}

}  // namespace gausscse
