#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file_calls.hpp"

namespace gausscse {

/// Formats of a file of embeddings, chosen by the suffix of its name.
enum class EmbeddingsFormat { hdf5, npy, safetensors };

/// Returns the format for a name: .h5, .hdf5 and no suffix are HDF5; .npy and .safetensors are what they say. Throws
/// InputError for any other, with the suffixes that work, and for .npy of several datasets, of which such a file holds
/// one.
EmbeddingsFormat embeddings_format(const std::filesystem::path& path, std::size_t datasets = 1);

/// Makes the empty file at `path` a .npy file (one dataset) or a .safetensors file of float32 matrices [rows, columns],
/// and gives where the values of each lie, as `lay_out_embeddings` does. Throws WriteError where there is no room.
std::vector<std::int64_t> lay_out_arrays(EmbeddingsFormat format, const FileDescriptor& empty_file,
                                         const std::filesystem::path& path, const std::vector<std::string>& names,
                                         std::int64_t rows, std::int64_t columns);

}  // namespace gausscse
