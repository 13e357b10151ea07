#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "inference/search/mined_pairs.hpp"

namespace gausscse {

/// Formats of a file of mined triples.
enum class MinedFormat { csv, jsonl };

/// Returns the format for the suffix of a name, .csv or .jsonl. Throws InputError for any other.
MinedFormat mined_format(const std::filesystem::path& path);

/// File of triples, with the columns `sent0`, `sent1` and `hard_neg` that `data.train` knows.
struct MinedOutput {
  std::string bytes;
  std::size_t triples = 0;
};
MinedOutput mined_output(const MinedPairs& pairs, MinedFormat format);

}  // namespace gausscse
