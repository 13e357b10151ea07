#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>

#include "model/batch/packed_batch.hpp"

namespace gausscse {

/// Embeds batches of sentences on one thread, next to others of its kind on their own threads.
class BatchEmbedder {
 public:
  virtual ~BatchEmbedder() = default;
  /// Returns [sentences, width], valid until the next call, of a batch that the model packed.
  virtual at::Tensor embed(const PackedBatch& batch) = 0;
  /// Gives back the memory that it keeps from batch to batch.
  virtual void release_memory() {}
};

/// A model that embeds sentences: all that tasks ask of one. On CPUs the same sentence has the same bits in any batch;
/// on a GPU the number of tokens of the batch chooses how matmuls are computed, and so the last bits.
class SentenceEmbedder {
 public:
  virtual ~SentenceEmbedder() = default;

  /// Returns the width of an embedding; of a Gaussian one it is that of mean and log-variance together.
  virtual std::int64_t width() const = 0;
  /// Returns type and device of embeddings.
  virtual at::TensorOptions options() const = 0;
  /// Packs sentences for this model's embedders, on the device of embeddings. Sentence s has the token ids from
  /// ids[offsets[s]] to before ids[offsets[s + 1]]; `offsets` [sentences + 1] begins with 0 and ends with the number of
  /// ids. The batch does not depend on the parameters. May be called by any thread.
  virtual PackedBatch pack(std::span<const std::uint32_t> ids, std::span<const std::uint32_t> offsets) const = 0;
  /// Makes an embedder of the model as it is now, which must outlive it, and must not change or compute meanwhile.
  virtual std::unique_ptr<BatchEmbedder> make_batch_embedder() = 0;
};

}  // namespace gausscse
