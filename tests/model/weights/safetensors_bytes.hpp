#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace gausscse {

/// Returns a safetensors file of this header, valid or not, and this data.
inline std::string safetensors_bytes(std::string_view header, std::string_view data = "") {
  std::string bytes(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, 8);
  bytes += header;
  bytes += data;
  return bytes;
}

}  // namespace gausscse
