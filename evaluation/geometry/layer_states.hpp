#pragma once

#include <cstdint>
#include <functional>

#include "data/corpus/token_store.hpp"
#include "dist/communicator.hpp"
#include "evaluation/geometry/layer_statistics.hpp"
#include "model/sentence_encoder.hpp"

namespace gausscse {

struct LayerStatesSettings {
  bool pads = false;      ///< see `pack_batch_with_pads`
  std::uint32_t pad = 0;  ///< id of padding
};

/// Gives `take` this rank's share of the sentences of `store` in each layer, 0 being the embeddings, without dropout.
/// The sentences of one layer come one after another, in an order that the number of threads does not change; different
/// layers come on different threads. The ranks' shares together are all sentences.
void for_each_layer_state(SentenceEncoder& encoder, const TokenStore& store, const Communicator& communicator,
                          const LayerStatesSettings& settings,
                          const std::function<void(std::int64_t layer, const SentenceStates& states)>& take);

}  // namespace gausscse
