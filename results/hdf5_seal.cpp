#include "results/hdf5_seal.hpp"

#include "base/content_hash.hpp"
#include "base/error.hpp"

namespace gausscse {

namespace {

constexpr std::string_view hdf5_signature = "\x89HDF\r\n\x1a\n";
constexpr std::string_view first_word = "gausscse-seal/";

std::string seal_for(std::string_view hdf5) {
  std::string block = concat(first_word, "1\nAn HDF5 file begins at byte ", hdf5_seal_bytes,
                             ". Programs that read HDF5 open it as it is.\nbytes behind this block: ", hdf5.size(),
                             "\nXXH3-128 of these bytes: ", content_hash_of(hdf5), "\n");
  GAUSSCSE_CHECK(block.size() < hdf5_seal_bytes, block.size());
  block.resize(hdf5_seal_bytes - 1, ' ');
  return block + '\n';
}

}  // namespace

std::string sealed_hdf5(std::string_view hdf5) {
  return seal_for(hdf5).append(hdf5);
}

Hdf5Seal seal_of(std::string_view bytes) {
  if (bytes.starts_with(hdf5_signature)) return Hdf5Seal::absent;
  const bool holds_block = bytes.size() > hdf5_seal_bytes;
  const std::string_view hdf5 = holds_block ? bytes.substr(hdf5_seal_bytes) : std::string_view();
  if (!bytes.starts_with(first_word) && !hdf5.starts_with(hdf5_signature)) return Hdf5Seal::no_hdf5;
  return holds_block && bytes.substr(0, hdf5_seal_bytes) == seal_for(hdf5) ? Hdf5Seal::whole : Hdf5Seal::broken;
}

}  // namespace gausscse
