#include "data/source/text_source.hpp"

#include <utility>

#include "base/file_kind.hpp"
#include "data/source/compressed_source.hpp"
#include "data/source/parquet_source.hpp"

namespace gausscse {

namespace {

std::unique_ptr<ByteSource> open_by_kind(const std::filesystem::path& path) {
  auto file = std::make_unique<FileSource>(path);
  const std::string beginning = file->first_bytes(file_kind_bytes);
  const FileKind* kind = find_file_kind(beginning);
  if (kind && kind->name == gzip_kind) return open_gzip(std::move(file), path.string());
  if (kind && kind->name == zstd_kind) return open_zstd(std::move(file), path.string());
  if (kind && kind->name == parquet_kind) return open_parquet(std::move(file), path.string());
  return file;
}

}  // namespace

TextSource::TextSource(const std::filesystem::path& path) : source_(open_by_kind(path)) {}

}  // namespace gausscse
