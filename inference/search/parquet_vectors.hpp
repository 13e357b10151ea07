#pragma once

#include <filesystem>

#include "results/embeddings_file.hpp"

namespace gausscse {

/// Returns whether the file is a Parquet table. Throws InputError where it cannot be opened.
bool is_parquet(const std::filesystem::path& path);

/// Opens the vectors of a Parquet table: its column `embedding`, or its only column of lists. They are copied, as
/// float32, into a file in the folder for temporary files (TMPDIR) that has no name and goes with the reader. Throws
/// InputError for a table without such a column, and for a row that is no list of numbers of float32 as long as the
/// first one.
EmbeddingsReader open_parquet_vectors(const std::filesystem::path& path);

}  // namespace gausscse
