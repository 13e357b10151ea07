#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

#include "model/batch/packed_batch.hpp"

namespace gausscse {

/// Largest packed batches, in bytes, that a task keeps on a GPU: those of about four million tokens.
inline constexpr std::int64_t most_bytes_kept = std::int64_t{1} << 26;

/// Packed batches of one store's sentences on a GPU, kept from one evaluation of a training to the next: its sentences
/// never change, and are packed and copied once. Batches beyond `most_bytes` are packed each time. So are all of a CPU,
/// where packing takes little time next to the encoder.
///
///     KeptBatches kept;
///     const at::Tensor first = embed_sentences_in_place(model, store, communicator, kept);   // packs
///     const at::Tensor second = embed_sentences_in_place(model, store, communicator, kept);  // copies no token
class KeptBatches {
 public:
  explicit KeptBatches(std::int64_t most_bytes = most_bytes_kept) : most_bytes_(most_bytes) {}

  /// Returns a batch of `device`, which `pack` packs if it is not kept. A batch of one number has the same sentences
  /// in all calls. One thread at a time calls it for a GPU, and any number of them for the CPU.
  PackedBatch get(std::size_t number, at::Device device, const std::function<PackedBatch()>& pack);

  /// Gives the memory back, and keeps nothing from now on.
  void stop();
  /// Returns the bytes that are kept on the GPU.
  std::int64_t bytes() const { return bytes_; }

 private:
  std::int64_t most_bytes_, bytes_ = 0;
  std::map<std::size_t, PackedBatch> batches_;  ///< by number
};

}  // namespace gausscse
