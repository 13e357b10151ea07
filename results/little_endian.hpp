#pragma once

#include <cstdint>
#include <string>

namespace gausscse {

/// Returns the lowest `bytes` bytes of a number, the lowest first, as many file formats have it; zeros beyond its
/// eight.
inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8) text += static_cast<char>(value & 0xff);
  return text;
}

}  // namespace gausscse
