#pragma once

#include <filesystem>
#include <memory>

#include "data/source/byte_source.hpp"

namespace gausscse {

/// Text of a file, however it is kept: as it is, compressed by gzip or zstd, or as a Parquet table, whose rows become
/// JSON objects, one a line. The first bytes of the file decide, not its name. Nothing is held as a whole.
///
///     TextSource source("snli/train-00000-of-00001.parquet");
///     RowSource rows(source, "train-00000-of-00001.parquet");   // columns by name, as of a file of JSON lines
class TextSource final : public ByteSource {
 public:
  /// Throws InputError where `path` is missing, a folder, not a regular file or unreadable, or is a Parquet table that
  /// cannot be read.
  explicit TextSource(const std::filesystem::path& path);

  /// Throws InputError where compressed data or a table are damaged or cut short, SystemError where the machine fails
  /// to read.
  std::size_t read(char* buffer, std::size_t capacity) override { return source_->read(buffer, capacity); }

 private:
  std::unique_ptr<ByteSource> source_;
};

}  // namespace gausscse
