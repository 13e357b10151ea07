#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <memory>

#include "results/embeddings_file.hpp"

namespace gausscse {

/// Rows that `read_vectors` reads at once.
inline constexpr std::uint64_t rows_of_vectors = 4096;

/// Opens a file of sentence vectors of any encoder: one matrix, which is called "embedding" unless the file is .npy, or
/// a Parquet table (open_parquet_vectors). Throws InputError as EmbeddingsReader does, and for a file of Gaussians or
/// without values.
std::shared_ptr<const EmbeddingsReader> open_vectors(const std::filesystem::path& path);

/// Returns the rows from `first` on, at most `rows_of_vectors` of them, [n, width]. Throws InputError for a value that
/// is not finite.
at::Tensor read_vectors(const EmbeddingsReader& file, const std::filesystem::path& path, std::uint64_t first);

}  // namespace gausscse
