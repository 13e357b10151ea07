#include "results/matrix_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/temporary_name.hpp"
#include "results/embeddings_output.hpp"

namespace gausscse {

namespace fs = std::filesystem;

EmbeddingsFormat matrix_format(const fs::path& path) {
  const std::string suffix = path.extension().string();
  if (suffix == ".npy") return EmbeddingsFormat::npy;
  if (suffix.empty() || suffix == ".h5" || suffix == ".hdf5") return EmbeddingsFormat::hdf5;
  throw InputError(concat(path.string(), ": a matrix is not written as ", quoted(suffix),
                          ": name the file .h5 or .hdf5 (HDF5), or .npy"));
}

MatrixWriter::MatrixWriter(const fs::path& path, const std::string& name, std::int64_t rows, std::int64_t columns,
                           const EmbeddingsAttributes& attributes)
    : path_(path), temporary_(temporary_sibling(path)), rows_(rows), columns_(columns) {
  const EmbeddingsFormat format = matrix_format(path);
  file_ = file_calls::create_file(temporary_);
  try {
    const EmbeddingsShape shape{{name}, rows, columns};
    layout_ = format == EmbeddingsFormat::npy ? lay_out_npy(file_, temporary_, shape, {})
                                              : lay_out_hdf5(file_, temporary_, shape, valid_attributes(attributes));
  } catch (...) {
    ::unlink(temporary_.c_str());
    throw;
  }
}

MatrixWriter::~MatrixWriter() {
  if (!committed_) ::unlink(temporary_.c_str());
}

void MatrixWriter::write(std::int64_t first_row, std::int64_t first_column, std::int64_t rows, std::int64_t columns,
                         std::span<const float> values) {
  GAUSSCSE_CHECK(first_row >= 0 && first_column >= 0 && rows >= 0 && columns >= 0 && first_row + rows <= rows_ &&
                     first_column + columns <= columns_,
                 "a tile outside of the matrix");
  GAUSSCSE_CHECK(static_cast<std::int64_t>(values.size()) == rows * columns, values.size(), " values");
  const auto bytes_of_row = static_cast<std::size_t>(columns) * sizeof(float);
  const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t place = layout_->offsets().front() +
                               ((first_row + row) * columns_ + first_column) * static_cast<std::int64_t>(sizeof(float));
    if (::lseek(file_.get(), place, SEEK_SET) != place)
      throw WriteError(concat(temporary_.string(), ": cannot move in it: ", errno_text(errno)));
    file_calls::write_all(file_, bytes.substr(static_cast<std::size_t>(row) * bytes_of_row, bytes_of_row), temporary_);
  }
  written_ += rows * columns;
}

void MatrixWriter::commit() {
  GAUSSCSE_CHECK(!committed_ && written_ == rows_ * columns_, written_, " elements");
  committed_ = true;
  put_in_place(std::move(file_), temporary_, path_);
}

}  // namespace gausscse
