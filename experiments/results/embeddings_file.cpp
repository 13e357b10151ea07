#include "experiments/results/embeddings_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "base/temporary_name.hpp"
#include "experiments/results/embeddings_layout.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "rows are written as they lie in memory");

std::string_view bytes_of(std::span<const float> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

void move_to(const FileDescriptor& file, std::int64_t offset, const fs::path& path) {
  if (::lseek(file.get(), offset, SEEK_SET) != offset) {
    throw WriteError(concat(path.string(), ": cannot move in it: ", errno_text(errno)));
  }
}

}  // namespace

EmbeddingsWriter::EmbeddingsWriter(const fs::path& path, std::int64_t sentences, std::int64_t dimension)
    : path_(path), temporary_(temporary_sibling(path)), sentences_(sentences), dimension_(dimension) {
  mean_ = file_calls::create_file(temporary_);
  try {
    const EmbeddingsLayout layout = lay_out_embeddings(mean_, temporary_, sentences, dimension);
    // Two descriptors, because those that share an open file share its position.
    log_var_ = FileDescriptor(::open(temporary_.c_str(), O_WRONLY | O_CLOEXEC));
    if (log_var_.get() < 0) throw WriteError(concat(temporary_.string(), ": cannot be opened: ", errno_text(errno)));
    move_to(mean_, layout.mean, temporary_);
    move_to(log_var_, layout.log_var, temporary_);
  } catch (...) {
    ::unlink(temporary_.c_str());
    throw;
  }
}

EmbeddingsWriter::~EmbeddingsWriter() {
  if (!committed_) ::unlink(temporary_.c_str());
}

void EmbeddingsWriter::append(std::span<const float> mean, std::span<const float> log_var) {
  GAUSSCSE_CHECK(mean.size() == log_var.size(), mean.size(), " and ", log_var.size());
  if (mean.empty()) return;
  GAUSSCSE_CHECK(!committed_ && dimension_ > 0, mean.size(), " values");
  const auto rows = static_cast<std::int64_t>(mean.size()) / dimension_;
  GAUSSCSE_CHECK(static_cast<std::size_t>(rows * dimension_) == mean.size() && rows <= sentences_ - written_,
                 mean.size(), " values after row ", written_, " of ", sentences_);
  file_calls::write_all(mean_, bytes_of(mean), temporary_);
  file_calls::write_all(log_var_, bytes_of(log_var), temporary_);
  written_ += rows;
}

void EmbeddingsWriter::commit() {
  GAUSSCSE_CHECK(!committed_ && (written_ == sentences_ || dimension_ == 0), written_, " of ", sentences_);
  file_calls::close(std::move(log_var_), temporary_);
  file_calls::sync(mean_, temporary_);
  file_calls::close(std::move(mean_), temporary_);
  const fs::path folder_path = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
  const FileDescriptor folder = file_calls::open_for_sync(folder_path);
  file_calls::rename(temporary_, path_);
  committed_ = true;
  file_calls::sync(folder, folder_path);
}

}  // namespace gausscse
