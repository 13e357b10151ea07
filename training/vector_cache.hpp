#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/corpus/token_store.hpp"
#include "model/pooled_vectors.hpp"

namespace gausscse {

/// File that keeps the vectors of a store's sentences from run to run, next to the token cache:
///
///     magic text | key | vector of each sentence, in the store's order | XXH3-128 of all bytes before, 32 digits
///
///     VectorCache cache(folder, key, store);
///     if (!cache.read(vectors)) {
///       embed_all(store, vectors);
///       cache.write(vectors);
///     }
///     for (const std::string& warning : cache.warnings()) ...
class VectorCache {
 public:
  /// `key` is the hash, as 32 digits, of all that decides the vectors, and names the file in `folder`. With an empty
  /// `folder` nothing is kept. `store` must outlive it.
  VectorCache(const std::filesystem::path& folder, const std::string& key, const TokenStore& store);

  /// Returns the path of the file; empty where nothing is kept.
  const std::filesystem::path& file() const { return file_; }
  /// Reads all vectors into `vectors`, which is empty and stays so unless it returns true. A file that is damaged,
  /// that another user owns or that others may write is not used, with a warning.
  bool read(PooledVectors& vectors);
  /// Writes the vectors of all sentences, and returns whether it could; a failure is a warning. Does nothing where
  /// `read` has found a file of another user.
  bool write(const PooledVectors& vectors);
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void read_all(PooledVectors& vectors) const;

  std::filesystem::path file_;
  std::string head_;  ///< bytes before the vectors
  const TokenStore& store_;
  std::vector<std::string> warnings_;
};

}  // namespace gausscse
