#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "model/weights/tensor_files.hpp"

/// Checks that no accepted shard name leaves the folder.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto shards = gausscse::parse_shard_index({reinterpret_cast<const char*>(data), size}, "input");
    for (const auto& [tensor, shard] : shards) {
      if (shard.find('/') != std::string::npos || shard.front() == '.') std::abort();
    }
  } catch (const gausscse::InputError&) {
  }
  return 0;
}
