#include "results/embeddings_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "base/temporary_name.hpp"
#include "results/embeddings_format.hpp"
#include "results/embeddings_layout.hpp"

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

EmbeddingsWriter::EmbeddingsWriter(const fs::path& path, const std::vector<std::string>& names, std::int64_t sentences,
                                   std::int64_t dimension)
    : path_(path), temporary_(temporary_sibling(path)), sentences_(sentences), dimension_(dimension) {
  const EmbeddingsFormat format = embeddings_format(path, names.size());
  datasets_.push_back(file_calls::create_file(temporary_));
  try {
    const std::vector<std::int64_t> offsets =
        format == EmbeddingsFormat::hdf5
            ? lay_out_embeddings(datasets_.front(), temporary_, names, sentences, dimension)
            : lay_out_arrays(format, datasets_.front(), temporary_, names, sentences, dimension);
    // A descriptor each, because those that share an open file share its position.
    while (datasets_.size() < names.size()) {
      datasets_.emplace_back(::open(temporary_.c_str(), O_WRONLY | O_CLOEXEC));
      if (datasets_.back().get() < 0)
        throw WriteError(concat(temporary_.string(), ": cannot be opened: ", errno_text(errno)));
    }
    for (std::size_t i = 0; i < datasets_.size(); ++i) move_to(datasets_[i], offsets[i], temporary_);
  } catch (...) {
    ::unlink(temporary_.c_str());
    throw;
  }
}

EmbeddingsWriter::~EmbeddingsWriter() {
  if (!committed_) ::unlink(temporary_.c_str());
}

void EmbeddingsWriter::append(const std::vector<std::span<const float>>& rows) {
  GAUSSCSE_CHECK(rows.size() == datasets_.size(), rows.size(), " of ", datasets_.size());
  const std::size_t values = rows.front().size();
  for (const std::span<const float> of_dataset : rows)
    GAUSSCSE_CHECK(of_dataset.size() == values, of_dataset.size(), " and ", values);
  if (values == 0) return;
  GAUSSCSE_CHECK(!committed_ && dimension_ > 0, values, " values");
  const auto count = static_cast<std::int64_t>(values) / dimension_;
  GAUSSCSE_CHECK(static_cast<std::size_t>(count * dimension_) == values && count <= sentences_ - written_, values,
                 " values after row ", written_, " of ", sentences_);
  for (std::size_t i = 0; i < rows.size(); ++i) file_calls::write_all(datasets_[i], bytes_of(rows[i]), temporary_);
  written_ += count;
}

void EmbeddingsWriter::commit() {
  GAUSSCSE_CHECK(!committed_ && (written_ == sentences_ || dimension_ == 0), written_, " of ", sentences_);
  for (std::size_t i = datasets_.size() - 1; i > 0; --i) file_calls::close(std::move(datasets_[i]), temporary_);
  file_calls::sync(datasets_.front(), temporary_);
  file_calls::close(std::move(datasets_.front()), temporary_);
  const fs::path folder_path = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
  const FileDescriptor folder = file_calls::open_for_sync(folder_path);
  file_calls::rename(temporary_, path_);
  committed_ = true;
  try {
    file_calls::sync(folder, folder_path);
  } catch (const WriteError& error) {
    throw WriteError(concat(error.what(), "; ", path_.string(), " is written, but a power loss may undo it"));
  }
}

}  // namespace gausscse
