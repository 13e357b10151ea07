#include "experiments/results/embeddings_file.hpp"

#include <unistd.h>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "base/temporary_name.hpp"
#include "experiments/results/hdf5_image.hpp"
#include "experiments/results/hdf5_values.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

H5::DataSet create_rows(H5::H5File& file, const char* name, std::int64_t rows, std::int64_t columns) {
  const hsize_t shape[2] = {static_cast<hsize_t>(rows), static_cast<hsize_t>(columns)};
  return file.createDataSet(name, H5::PredType::IEEE_F32LE, H5::DataSpace(2, shape), without_time());
}

[[noreturn]] void fail(const fs::path& path, const H5::Exception& error) {
  throw SystemError(concat(path.string(), ": cannot be written: ", hdf5_error_text(error)));
}

}  // namespace

EmbeddingsWriter::EmbeddingsWriter(const fs::path& path, std::int64_t sentences, std::int64_t dimension)
    : path_(path), temporary_(temporary_sibling(path)), sentences_(sentences), dimension_(dimension) {
  GAUSSCSE_CHECK(sentences >= 0 && dimension >= 0, sentences, " x ", dimension);
  H5::Exception::dontPrint();
  // The name is ours alone, and some network file systems know no locks.
  const H5::FileAccPropList access;
  H5Pset_file_locking(access.getId(), false, true);
  file_calls::close(file_calls::create_file(temporary_), temporary_);
  try {
    file_ = H5::H5File(temporary_.string(), H5F_ACC_TRUNC, H5::FileCreatPropList::DEFAULT, access);
    mean_ = create_rows(file_, "mean", sentences, dimension);
    log_var_ = create_rows(file_, "log_var", sentences, dimension);
  } catch (const H5::Exception& error) {
    ::unlink(temporary_.c_str());
    fail(path_, error);
  }
}

EmbeddingsWriter::~EmbeddingsWriter() {
  if (!committed_) ::unlink(temporary_.c_str());
}

void EmbeddingsWriter::append(std::span<const float> mean, std::span<const float> log_var) {
  GAUSSCSE_CHECK(mean.size() == log_var.size(), mean.size(), " and ", log_var.size());
  if (mean.empty()) return;
  const auto rows = static_cast<std::int64_t>(mean.size()) / dimension_;
  GAUSSCSE_CHECK(static_cast<std::size_t>(rows * dimension_) == mean.size() && written_ + rows <= sentences_,
                 mean.size(), " values after row ", written_, " of ", sentences_);
  try {
    write_rows(mean_, mean, rows);
    write_rows(log_var_, log_var, rows);
  } catch (const H5::Exception& error) {
    fail(path_, error);
  }
  written_ += rows;
}

void EmbeddingsWriter::write_rows(H5::DataSet& data, std::span<const float> values, std::int64_t rows) {
  const hsize_t start[2] = {static_cast<hsize_t>(written_), 0};
  const hsize_t count[2] = {static_cast<hsize_t>(rows), static_cast<hsize_t>(dimension_)};
  H5::DataSpace in_file = data.getSpace();
  in_file.selectHyperslab(H5S_SELECT_SET, count, start);
  data.write(values.data(), H5::PredType::NATIVE_FLOAT, H5::DataSpace(2, count), in_file);
}

void EmbeddingsWriter::commit() {
  GAUSSCSE_CHECK(!committed_ && (written_ == sentences_ || dimension_ == 0), written_, " of ", sentences_);
  try {
    file_.flush(H5F_SCOPE_GLOBAL);
    mean_.close();
    log_var_.close();
    file_.close();
  } catch (const H5::Exception& error) {
    fail(path_, error);
  }
  const fs::path folder = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
  file_calls::sync(file_calls::open_for_sync(temporary_), temporary_);
  const FileDescriptor folder_descriptor = file_calls::open_for_sync(folder);
  file_calls::rename(temporary_, path_);
  committed_ = true;
  file_calls::sync(folder_descriptor, folder);
}

void write_embeddings(const fs::path& path, std::span<const float> mean, std::span<const float> log_var,
                      std::int64_t sentences, std::int64_t dimension) {
  EmbeddingsWriter writer(path, sentences, dimension);
  writer.append(mean, log_var);
  writer.commit();
}

}  // namespace gausscse
