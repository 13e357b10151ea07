#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/content_hash.hpp"

namespace gausscse {

/// Name of the attribute with the checksum of a file of embeddings.
inline constexpr const char* embeddings_seal = "xxh3_128";

/// Checksum of a file of embeddings in any format: XXH3-128 of a JSON text with the attributes, and with name, shape
/// and XXH3-128 of each matrix. So a reader that takes a damaged header for another shape or place finds another
/// checksum.
///
///     EmbeddingsSeal seal({"mean", "log_var"}, 1000, 768);
///     seal.add(0, bytes_of_means);
///     seal.add(1, bytes_of_log_variances);
///     const std::string digits = seal.digits(attributes);
class EmbeddingsSeal {
 public:
  EmbeddingsSeal(std::vector<std::string> names, std::uint64_t rows, std::uint64_t columns);
  /// Adds the next bytes of the values of a matrix.
  void add(std::size_t matrix, std::string_view bytes) { hashers_[matrix].add(bytes); }
  /// Returns the checksum of the added rows and of the attributes, without the one called `embeddings_seal`.
  std::string digits(std::map<std::string, std::string> attributes) const;

 private:
  std::vector<std::string> names_;
  std::uint64_t rows_, columns_;
  std::vector<ContentHasher> hashers_;  ///< one for each matrix
};

}  // namespace gausscse
