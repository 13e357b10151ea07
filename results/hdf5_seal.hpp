#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gausscse {

/// Size of the block that this program puts in front of an HDF5 file, which HDF5 calls a user block and skips.
///
///     byte 0                        512
///     | gausscse-seal/1 ... hash    | HDF5's signature and all that HDF5 reads
///
/// The block is text: the size of the bytes behind it and their XXH3-128. HDF5's library ends with a segmentation fault
/// or never where one bit of a file is another one, so a file is compared with its block before HDF5 sees it.
inline constexpr std::size_t hdf5_seal_bytes = 512;

/// Returns the block for `hdf5`, and `hdf5` behind it. The HDF5 file must have been made with a user block of that
/// size.
std::string sealed_hdf5(std::string_view hdf5);

enum class Hdf5Seal {
  whole,   ///< the block fits the bytes behind it: they are as they were written
  broken,  ///< the block, or a byte behind it, is not as it was written; or another program wrote the block
  absent,  ///< HDF5 from the first byte: written by another program, or by this one before there were seals
  no_hdf5  ///< neither a seal nor HDF5
};

/// Returns the seal in the first bytes of a file, and whether the rest of the file agrees with it.
Hdf5Seal seal_of(std::string_view bytes);

}  // namespace gausscse
