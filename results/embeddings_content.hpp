#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "results/embeddings_file.hpp"

namespace gausscse {

/// Matrix of float32, little-endian and row by row, in a file.
struct StoredMatrix {
  std::string name;
  std::uint64_t rows = 0, columns = 0;
  std::uint64_t offset = 0;  ///< place of its first value, bytes from the file's begin
  std::string seal = {};     ///< checksum in the header of a .npy file; empty if it has none
};

/// Content of a file of embeddings without the values.
struct EmbeddingsContent {
  std::vector<StoredMatrix> matrices;
  std::map<std::string, std::string> attributes;  ///< with the checksum `embeddings_seal`, if the file has it
  bool is_checked = false;                        ///< true if matrices and attributes were compared with checksums
};

/// Returns the format that the first bytes of a file are of; nothing where they are of none.
std::optional<EmbeddingsFormat> format_of_content(const OpenFile& file, const std::filesystem::path& path);

/// Reads the description of a file in this format. HDF5 has the matrices in the root group and its attributes (texts
/// and whole numbers). A .safetensors file has the tensors and the metadata, .npy the array, called "embedding". An
/// .npz archive has the arrays of these names and the texts in attributes.npy, or attributes.json of earlier versions.
/// Matrices that are not float32 or not in one piece are left out. Any bytes are safe; the offsets are not compared
/// with the file's size. Throws InputError for a damaged file.
EmbeddingsContent read_embeddings_content(EmbeddingsFormat format, const OpenFile& file,
                                          const std::filesystem::path& path);

/// Reads the description of numpy's array in the `bytes` bytes from `place` on; its name is "embedding". Throws
/// InputError for another array than a matrix of float32 in C order, and where not all of its values are there.
StoredMatrix npy_matrix(const OpenFile& file, const std::filesystem::path& path, std::uint64_t place,
                        std::uint64_t bytes);

/// Reads the description of numpy's archive, whose members are not compressed. Compares their CRC-32, of the matrices
/// only if there is no `embeddings_seal`.
EmbeddingsContent npz_content(const OpenFile& file, const std::filesystem::path& path);

/// Reads exactly `bytes` bytes at `offset` into `buffer`. Throws InputError where the file ends before, SystemError
/// where the machine fails. Threads may call it at once.
void read_at(const OpenFile& file, std::uint64_t offset, char* buffer, std::size_t bytes,
             const std::filesystem::path& path);

}  // namespace gausscse
