#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/corpus/token_store.hpp"
#include "model/batch/packed_batch.hpp"

namespace gausscse {

/// Returns the number of tokens that an evaluator takes at once. On CPUs it is large enough for efficient products, and
/// small enough for the caches and for sharing out among threads and ranks. On other devices it is large enough to keep
/// all of it busy.
std::size_t tokens_of_batch(at::Device device);

/// Returns the sentences of `store` by falling length, cut into batches of about `tokens_of_batch` tokens. The same for
/// any number of threads and ranks.
std::vector<std::vector<std::uint32_t>> make_sentence_batches(const TokenStore& store, std::size_t tokens_of_batch);

/// Some sentences of `store` as BatchEmbedder takes them.
struct SentenceTokens {
  std::vector<std::uint32_t> ids, offsets;
};
SentenceTokens tokens_of(std::span<const std::uint32_t> sentences, const TokenStore& store);

/// Packs some sentences of `store`.
PackedBatch pack_batch(const std::vector<std::uint32_t>& sentences, const TokenStore& store,
                       std::uint32_t position_offset);

/// Returns a batch with a token `pad`, to which no token attends, after each sentence shorter than `longest`. Padding
/// to that length would put it in that position.
PackedBatch pack_batch_with_pads(const std::vector<std::uint32_t>& sentences, const TokenStore& store,
                                 std::uint32_t position_offset, std::uint32_t pad, std::size_t longest);

}  // namespace gausscse
