#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "results/hdf5_seal.hpp"

namespace {

constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";

void require(bool condition) {
  if (!condition) std::abort();
}

/// Returns the block by the format's description (docs/result_files.md), made without the product.
std::string block_for(std::string_view hdf5) {
  const XXH128_hash_t hash = XXH3_128bits(hdf5.data(), hdf5.size());
  char text[512];
  const int length = std::snprintf(
      text, sizeof text,
      "gausscse-seal/1\nAn HDF5 file begins at byte 512. Programs that read HDF5 open it as it is.\nbytes behind this "
      "block: %zu\nXXH3-128 of these bytes: %016llx%016llx\n",
      hdf5.size(), static_cast<unsigned long long>(hash.high64), static_cast<unsigned long long>(hash.low64));
  std::string block(text, static_cast<std::size_t>(length));
  return block.append(511 - block.size(), ' ') + '\n';
}

/// Checks the kind of any bytes: whole by the block's description alone, absent by the signature alone.
void check_kind(std::string_view bytes) {
  using gausscse::Hdf5Seal;
  const Hdf5Seal seal = gausscse::seal_of(bytes);
  require((seal == Hdf5Seal::absent) == bytes.starts_with(signature));
  const bool fits = bytes.size() > 512 && bytes.substr(0, 512) == block_for(bytes.substr(512));
  require((seal == Hdf5Seal::whole) == fits);
}

}  // namespace

/// Returns the input is a file. It is also sealed, and the seal must fit until the bit that its last two bytes name is
/// another.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  check_kind(input);
  if (size < 2) return 0;
  std::string sealed = gausscse::sealed_hdf5(input);
  require(sealed == block_for(input).append(input));
  check_kind(sealed);
  const std::size_t bit = (std::size_t{data[size - 2]} << 8 | data[size - 1]) % (8 * sealed.size());
  sealed[bit / 8] = static_cast<char>(sealed[bit / 8] ^ (1 << bit % 8));
  require(gausscse::seal_of(sealed) != gausscse::Hdf5Seal::whole);
  check_kind(sealed);
  return 0;
}
