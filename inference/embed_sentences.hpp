#pragma once

#include <ATen/core/Tensor.h>

#include "data/corpus/token_store.hpp"
#include "dist/communicator.hpp"
#include "model/sentence_embedder.hpp"

namespace gausscse {

/// Embeds all sentences of `store`, without dropout, by `model`: [sentences, width], on every rank.
/// The work is shared out in batches that are the same for any number of ranks and threads, so that bits are, too.
/// Collective.
at::Tensor embed_sentences(SentenceEmbedder& model, const TokenStore& store, Communicator& communicator);

/// Returns the same, but only rank 0 has the result; the others get an undefined tensor. Collective.
at::Tensor embed_sentences_on_root(SentenceEmbedder& model, const TokenStore& store, Communicator& communicator);

}  // namespace gausscse
