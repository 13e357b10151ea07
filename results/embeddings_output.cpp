#include "results/embeddings_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "base/temporary_name.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "rows are written as they lie in memory");

void move_to(const FileDescriptor& file, std::int64_t offset, const fs::path& path) {
  if (::lseek(file.get(), offset, SEEK_SET) != offset) {
    throw WriteError(concat(path.string(), ": cannot move in it: ", errno_text(errno)));
  }
}

/// Writes each matrix at its place.
class PlacedOutput final : public EmbeddingsOutput {
 public:
  PlacedOutput(const FileDescriptor& file, fs::path path, std::unique_ptr<EmbeddingsLayout> layout)
      : file_(file), path_(std::move(path)), layout_(std::move(layout)) {
    // A descriptor each, because those that share an open file share its position.
    for (std::size_t i = 1; i < layout_->offsets().size(); ++i) {
      others_.emplace_back(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
      if (others_.back().get() < 0) throw WriteError(concat(path_.string(), ": cannot be opened: ", errno_text(errno)));
    }
    for (std::size_t i = 0; i < layout_->offsets().size(); ++i) move_to(file_of(i), layout_->offsets()[i], path_);
  }

  void append(const std::vector<std::span<const float>>& rows) override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      layout_->on_values(i, bytes_of(rows[i]));
      file_calls::write_all(file_of(i), bytes_of(rows[i]), path_);
    }
  }

  void finish(const EmbeddingsAttributes& attributes) override {
    for (FileDescriptor& other : others_) file_calls::close(std::move(other), path_);
    for (const PlacedBytes& placed : layout_->ending(attributes)) {
      move_to(file_, placed.offset, path_);
      file_calls::write_all(file_, placed.bytes, path_);
    }
  }

 private:
  const FileDescriptor& file_of(std::size_t matrix) const { return matrix == 0 ? file_ : others_[matrix - 1]; }

  const FileDescriptor& file_;
  fs::path path_;
  std::unique_ptr<EmbeddingsLayout> layout_;
  std::vector<FileDescriptor> others_;
};

std::unique_ptr<EmbeddingsLayout> lay_out(EmbeddingsFormat format, const FileDescriptor& file, const fs::path& path,
                                          const EmbeddingsShape& shape, const EmbeddingsAttributes& attributes) {
  switch (format) {
    case EmbeddingsFormat::hdf5:
      return lay_out_hdf5(file, path, shape, attributes);
    case EmbeddingsFormat::npy:
      return lay_out_npy(file, path, shape, attributes);
    case EmbeddingsFormat::npz:
      return lay_out_npz(file, path, shape);
    case EmbeddingsFormat::safetensors:
      return lay_out_safetensors(file, path, shape, attributes);
    case EmbeddingsFormat::parquet:
      break;
  }
  throw std::logic_error("no layout of this number");
}

}  // namespace

std::unique_ptr<EmbeddingsOutput> make_embeddings_output(EmbeddingsFormat format, const FileDescriptor& file,
                                                         const fs::path& path, const EmbeddingsShape& shape,
                                                         const EmbeddingsAttributes& attributes) {
  if (format == EmbeddingsFormat::parquet) return make_parquet_output(file, path, shape);
  return std::make_unique<PlacedOutput>(file, path, lay_out(format, file, path, shape, attributes));
}

void grow_file(const FileDescriptor& file, std::int64_t bytes, const fs::path& path) {
  if (::ftruncate(file.get(), bytes) != 0)
    throw WriteError(concat(path.string(), ": cannot grow to ", bytes, " bytes: ", errno_text(errno)));
}

EmbeddingsAttributes valid_attributes(EmbeddingsAttributes attributes) {
  for (auto& [name, text] : attributes.texts) {
    const std::string json = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    text = nlohmann::json::parse(json).get<std::string>();
    std::erase(text, '\0');
  }
  return attributes;
}

void put_in_place(FileDescriptor file, const fs::path& temporary, const fs::path& path) {
  RemovedAtEnd guard(temporary);
  file_calls::sync(file, temporary);
  file_calls::close(std::move(file), temporary);
  const fs::path folder_path = file_calls::folder_of(path);
  const FileDescriptor folder = file_calls::open_for_sync(folder_path);
  file_calls::rename(temporary, path);
  guard.keep();
  try {
    file_calls::sync(folder, folder_path);
  } catch (const WriteError& error) {
    throw WriteError(concat(error.what(), "; ", path.string(), " is written, but a power loss may undo it"));
  }
}

std::map<std::string, std::string> texts_of(const EmbeddingsAttributes& attributes) {
  std::map<std::string, std::string> texts = attributes.texts;
  for (const auto& [name, count] : attributes.counts) texts[name] = std::to_string(count);
  return texts;
}

}  // namespace gausscse
