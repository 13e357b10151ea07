#include "base/content_hash.hpp"

#include <xxhash.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

namespace {

std::string hexadecimal(const XXH128_hash_t& hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  std::string text;
  for (const unsigned char byte : canonical.digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

}  // namespace

std::string content_hash(const std::filesystem::path& path, Links links) {
  constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  const OpenFile file = open_regular_file(path, links);
  std::vector<char> piece(piece_bytes);
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
  if (!state) throw SystemError("no memory to compute a hash");
  XXH3_128bits_reset(state.get());
  while (const std::size_t count = read_some(file, piece.data(), piece.size(), path)) {
    XXH3_128bits_update(state.get(), piece.data(), count);
  }
  return hexadecimal(XXH3_128bits_digest(state.get()));
}

std::string content_hash_of(std::string_view bytes) {
  return hexadecimal(XXH3_128bits(bytes.data(), bytes.size()));
}

}  // namespace gausscse
