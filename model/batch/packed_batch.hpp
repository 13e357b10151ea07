#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/kernels/kernels.hpp"

namespace gausscse {

namespace ops {
class Upload;
}

/// Tokens by their row of an embedding table, see kernels::RowGroups: int64 [tokens], [used rows + 1], [used rows].
struct RowsOfTable {
  at::Tensor rows, offsets, targets;
  kernels::RowGroups groups() const;
};

/// Sentences back to back, without padding, as the encoder reads them. int32 tensors, packed on the CPU and then
/// brought to the model's device. They are cut into shards, at least one; gradients are sums over shards, see
/// kernels::RowShards.
struct PackedBatch {
  at::Tensor ids;           ///< [tokens], token ids
  at::Tensor positions;     ///< [tokens], rows of the position table
  at::Tensor row_samples;   ///< [tokens], the sample of each token's sentence
  at::Tensor offsets;       ///< [sentences + 1]
  at::Tensor samples;       ///< [sentences], the sentence's number in the global batch, by which dropout is drawn
  at::Tensor first_tokens;  ///< [sentences], int64: index of each sentence's first token
  /// int32 [sentences], or undefined: the number of tokens of each sentence, from its first on, that are attended to.
  /// Later tokens attend to these alone, as padding does. For evaluation only.
  at::Tensor attended;
  /// int32 [sentences], or undefined: the sentences in the order of their classes of lengths, for a GPU; and how many
  /// sentences come before each class, see kernels::LengthClasses.
  at::Tensor by_length;
  std::vector<std::int64_t> first_of_lengths;
  /// Tokens of each row of the word and of the position table, if there is a backward.
  RowsOfTable tokens_of_words, tokens_of_positions;
  std::shared_ptr<const ops::Upload> upload;   ///< all of the above, on its way to a GPU
  std::int64_t longest = 0;                    ///< tokens of the longest sentence
  std::vector<std::int64_t> sentence_offsets;  ///< [shards + 1]: first sentence of each shard, and their number
  std::vector<std::int64_t> token_offsets;     ///< [shards + 1]: first token of each shard, and their number

  std::int64_t sentences() const { return samples.numel(); }
  std::int64_t tokens() const { return ids.numel(); }
  /// Returns the shards' rows in matrices that have a row for each sentence, or for each token.
  kernels::RowShards sentence_shards() const;
  kernels::RowShards token_shards() const;
  kernels::PackedShape shape() const;
  /// Returns this batch, which is on the CPU, with the groups for a backward if there is one, and on its way to another
  /// device: all work that takes the host's time. May be called by any thread, and starts none.
  PackedBatch prepared_for(at::Device device, bool with_backward) const;
  /// Returns this batch, prepared as `prepared_for` does it where it is not yet, on another device; the batch itself
  /// where it is there already, for evaluation.
  PackedBatch on(at::Device device, bool with_backward) const;
};

/// Packs sentences. `ids` [tokens] and `offsets` [sentences + 1] are as the token store gives them; `samples` is
/// [sentences] or empty (then 0, 1, 2, ...). `position_offset` is the first row of the position table: 0 for BERT,
/// padding id + 1 for RoBERTa. `shards` are the numbers of sentences in each shard, or empty for a single one. Throws
/// std::logic_error for a sentence without tokens.
PackedBatch pack_sentences(std::span<const std::uint32_t> ids, std::span<const std::uint32_t> offsets,
                           std::span<const std::uint32_t> samples, std::uint32_t position_offset,
                           std::span<const std::int64_t> shards = {});

}  // namespace gausscse
