#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "results/hdf5_seal.hpp"

namespace gausscse {

/// Returns the file with another seal, which fits the bytes behind it.
inline std::string resealed(const std::string& bytes) {
  return sealed_hdf5(std::string_view(bytes).substr(hdf5_seal_bytes));
}

/// Returns the file as it was written before there were seals: its superblock, of version 0, has the address where the
/// file begins at byte 24, and the one where it ends at byte 40.
inline std::string without_seal(const std::string& bytes) {
  std::string hdf5 = bytes.substr(hdf5_seal_bytes);
  const std::uint64_t begin = 0, end = hdf5.size();
  std::memcpy(hdf5.data() + 24, &begin, sizeof begin);
  std::memcpy(hdf5.data() + 40, &end, sizeof end);
  return hdf5;
}

}  // namespace gausscse
