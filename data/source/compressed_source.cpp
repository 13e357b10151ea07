#include "data/source/compressed_source.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

namespace {

/// Compressed bytes as a decoder asks for them, and the messages on them.
class CompressedBytes {
 public:
  CompressedBytes(std::unique_ptr<ByteSource> source, std::string name, std::string_view format)
      : source_(std::move(source)), name_(std::move(name)), format_(format) {}

  /// Reads on; returns no bytes at the end of the file.
  std::string_view next() { return {buffer_.data(), source_->read(buffer_.data(), buffer_.size())}; }

  [[noreturn]] void fail(std::string_view why, std::string_view remedy) const {
    throw InputError(concat(name_, ": the ", format_, " data ", why, ": ", remedy));
  }
  [[noreturn]] void fail_as_cut() const { fail("end before their end", "the file is cut short, get it again"); }

 private:
  std::unique_ptr<ByteSource> source_;
  std::string name_;
  std::string_view format_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 16);
};

class GzipSource final : public ByteSource {
 public:
  GzipSource(std::unique_ptr<ByteSource> compressed, std::string name)
      : bytes_(std::move(compressed), std::move(name), "gzip") {
    constexpr int gzip_alone = 16;
    if (inflateInit2(&stream_, MAX_WBITS + gzip_alone) != Z_OK) throw std::bad_alloc();
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;
  ~GzipSource() override { inflateEnd(&stream_); }

  std::size_t read(char* buffer, std::size_t capacity) override {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer);
    stream_.avail_out = static_cast<uInt>(std::min(capacity, std::size_t{1} << 30));
    const uInt wanted = stream_.avail_out;
    while (stream_.avail_out == wanted) {
      if (stream_.avail_in == 0) {
        const std::string_view more = bytes_.next();
        if (more.empty() && within_member_) bytes_.fail_as_cut();
        if (more.empty()) return 0;
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(more.data()));
        stream_.avail_in = static_cast<uInt>(more.size());
      }
      within_member_ = true;
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_MEM_ERROR) throw std::bad_alloc();
      if (result == Z_STREAM_END) {
        within_member_ = false;
        inflateReset(&stream_);
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        bytes_.fail(concat("are damaged (", stream_.msg ? stream_.msg : "zlib gives no reason", ")"),
                    "get the file again");
      }
    }
    return wanted - stream_.avail_out;
  }

 private:
  CompressedBytes bytes_;
  z_stream stream_{};
  bool within_member_ = true;  ///< an empty file is cut short, too
};

class ZstdSource final : public ByteSource {
 public:
  ZstdSource(std::unique_ptr<ByteSource> compressed, std::string name)
      : bytes_(std::move(compressed), std::move(name), "zstd"), stream_(ZSTD_createDStream(), ZSTD_freeDStream) {
    if (!stream_) throw std::bad_alloc();
  }

  std::size_t read(char* buffer, std::size_t capacity) override {
    ZSTD_outBuffer out{buffer, capacity, 0};
    while (out.pos == 0) {
      if (in_.pos == in_.size && !held_) {
        const std::string_view more = bytes_.next();
        if (more.empty() && within_frame_) bytes_.fail_as_cut();
        if (more.empty()) return 0;
        in_ = {more.data(), more.size(), 0};
      }
      const std::size_t result = ZSTD_decompressStream(stream_.get(), &out, &in_);
      if (ZSTD_isError(result))
        bytes_.fail(concat("cannot be unpacked (", ZSTD_getErrorName(result), ")"),
                    "get the file again, or unpack it by unzstd");
      within_frame_ = result != 0;
      held_ = within_frame_ && out.pos == out.size;  // the stream may hold more of the frame
    }
    return out.pos;
  }

 private:
  CompressedBytes bytes_;
  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool within_frame_ = true;
  bool held_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> open_gzip(std::unique_ptr<ByteSource> compressed, std::string name) {
  return std::make_unique<GzipSource>(std::move(compressed), std::move(name));
}

std::unique_ptr<ByteSource> open_zstd(std::unique_ptr<ByteSource> compressed, std::string name) {
  return std::make_unique<ZstdSource>(std::move(compressed), std::move(name));
}

}  // namespace gausscse
