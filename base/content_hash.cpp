#include "base/content_hash.hpp"

#include <dlfcn.h>
#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "base/error.hpp"
#include "base/world.hpp"

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

ContentHasher::ContentHasher() : state_(XXH3_createState(), [](XXH3_state_s* state) { XXH3_freeState(state); }) {
  if (!state_) throw SystemError("no memory to compute a hash");
  XXH3_128bits_reset(state_.get());
}

void ContentHasher::add(std::string_view bytes) {
  XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
}

std::string ContentHasher::digits() const {
  return hexadecimal(XXH3_128bits_digest(state_.get()));
}

std::string content_hash(const World& world, const std::filesystem::path& path, Links links) {
  const OpenFile file = open_regular_file(world, path, links);
  std::vector<char> piece(std::min(file.size + 1, std::size_t{1} << 20));
  ContentHasher hasher;
  while (const std::size_t count = read_some(world, file, piece.data(), piece.size(), path))
    hasher.add({piece.data(), count});
  return hasher.digits();
}

std::string content_hash(const std::filesystem::path& path, Links links) {
  return content_hash(real_world(), path, links);
}

std::string content_hash_of(std::string_view bytes) {
  return hexadecimal(XXH3_128bits(bytes.data(), bytes.size()));
}

std::string program_hash() {
  Dl_info object{};
  // The linker's name of the program itself may be relative.
  const bool is_found = ::dladdr(reinterpret_cast<const void*>(&program_hash), &object) != 0 && object.dli_fname;
  const std::filesystem::path file = is_found ? object.dli_fname : "";
  try {
    return content_hash(file.is_absolute() ? file : "/proc/self/exe");
  } catch (const std::runtime_error&) {
    return {};
  }
}

}  // namespace gausscse
