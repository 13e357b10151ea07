#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/sentence_embedder.hpp"

namespace gausscse {

/// Pooled vectors of sentences, by a model that does not change: each distinct sentence is embedded once, and its
/// vector kept in memory. A head can be trained on them without the encoder. Any number of threads may use it at once.
///
///     PooledVectors vectors(pooled_embedder);
///     const auto embedder = pooled_embedder.make_batch_embedder();  // of this thread
///     const at::Tensor rows = vectors.of(batch, *embedder);         // computes those that are not kept
class PooledVectors {
 public:
  /// Keeps vectors of `embedder`, which must outlive it, and must not change.
  explicit PooledVectors(SentenceEmbedder& embedder) : embedder_(embedder) {}
  PooledVectors(const PooledVectors&) = delete;
  PooledVectors& operator=(const PooledVectors&) = delete;

  SentenceEmbedder& embedder() const { return embedder_; }
  /// Keeps `rows` [sentences, width] on the CPU, whose sentences have the token ids from ids[offsets[s]] to before
  /// ids[offsets[s + 1]].
  void keep(std::span<const std::uint32_t> ids, std::span<const std::uint32_t> offsets, const at::Tensor& rows);
  /// Returns [sentences, width], on the device of the model, of a batch on the CPU; `own`, this thread's embedder of
  /// the same model, computes the vectors that are not kept.
  at::Tensor of(const PackedBatch& batch, BatchEmbedder& own);
  std::size_t size() const;
  /// Returns the values of a sentence's vector, by its token ids, as they lie in memory; empty where it is not kept.
  /// They stay there until `clear`.
  std::string_view bytes_of(std::span<const std::uint32_t> ids) const;
  /// Forgets all vectors.
  void clear();

 private:
  void keep_one(const std::string& key, const void* row);
  /// Returns the vector of the sentence; null where it is not kept.
  const void* find(const std::string& key) const;

  std::size_t row_bytes() const;

  SentenceEmbedder& embedder_;
  mutable std::mutex mutex_;                              ///< guards the members below
  std::unordered_map<std::string, std::size_t> numbers_;  ///< by the bytes of the token ids
  std::vector<at::Tensor> blocks_;                        ///< [rows of a block, width] each, all of one size
};

}  // namespace gausscse
