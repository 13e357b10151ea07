#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <span>

#include "data/corpus/token_store.hpp"
#include "dist/communicator.hpp"
#include "inference/kept_batches.hpp"
#include "model/sentence_embedder.hpp"

namespace gausscse {

/// Embeds all sentences of `store`, without dropout, by `model`: [sentences, width], on every rank.
/// The work is shared out in batches that are the same for any number of ranks and threads, so that bits are, too.
/// Collective.
at::Tensor embed_sentences(SentenceEmbedder& model, const TokenStore& store, Communicator& communicator);

/// Takes some sentences of a store and their embeddings, contiguous rows on the CPU.
using VisitBlock = std::function<void(std::span<const std::uint32_t> sentences, const at::Tensor& rows)>;

/// Embeds all sentences of `store` as `embed_sentences` does, and hands them to `visit` on every rank, some thousands
/// at a time, by falling length. Collective.
void embed_in_blocks(SentenceEmbedder& model, const TokenStore& store, Communicator& communicator,
                     const VisitBlock& visit);

/// Returns the embeddings on rank 0 alone; the others get an undefined tensor. Collective.
at::Tensor embed_sentences_on_root(SentenceEmbedder& model, const TokenStore& store, Communicator& communicator);

/// Largest embeddings, in bytes, that `embed_sentences_in_place` leaves on a GPU. It holds them three times for a
/// while.
inline constexpr std::int64_t most_bytes_in_place = std::int64_t{1} << 28;

/// Returns the embeddings on rank 0, on the device that computed them; on the CPU if they take more than `most_bytes`.
/// `kept` has the batches of earlier calls with these sentences. Collective.
at::Tensor embed_sentences_in_place(SentenceEmbedder& model, const TokenStore& store, Communicator& communicator,
                                    KeptBatches& kept, std::int64_t most_bytes = most_bytes_in_place);

}  // namespace gausscse
