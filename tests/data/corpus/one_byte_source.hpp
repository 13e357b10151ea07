#pragma once

#include <string_view>

#include "data/source/byte_source.hpp"

namespace gausscse {

/// Source of one byte at a time, so that every place is once the end of a piece.
class OneByteSource final : public ByteSource {
 public:
  explicit OneByteSource(std::string_view bytes) : whole_(bytes) {}
  std::size_t read(char* buffer, std::size_t) override { return whole_.read(buffer, 1); }

 private:
  MemorySource whole_;
};

}  // namespace gausscse
