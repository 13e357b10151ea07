#include "evaluation/geometry/layer_states.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "inference/sentence_batches.hpp"
#include "model/parallel_tasks.hpp"

namespace gausscse {

namespace {

/// A batch, and its hidden states in every layer.
struct BatchStates {
  std::vector<std::uint32_t> sentences;
  PackedBatch packed;
  std::vector<at::Tensor> layers;  ///< [tokens, hidden] each
};

void give_sentences(const BatchStates& batch, std::size_t layer, const TokenStore& store,
                    const std::function<void(std::int64_t, const SentenceStates&)>& take) {
  const at::Tensor& states = batch.layers[layer];
  const auto* ids = reinterpret_cast<const std::uint32_t*>(batch.packed.ids.const_data_ptr<std::int32_t>());
  const std::int32_t* offsets = batch.packed.offsets.const_data_ptr<std::int32_t>();
  for (std::size_t s = 0; s < batch.sentences.size(); ++s) {
    const auto count = static_cast<std::size_t>(offsets[s + 1] - offsets[s]);
    take(static_cast<std::int64_t>(layer), {.sentence = batch.sentences[s],
                                            .ids = {ids + offsets[s], count},
                                            .tokens = store.length(batch.sentences[s]),
                                            .states = states.const_data_ptr<float>() + offsets[s] * states.size(1)});
  }
}

}  // namespace

void for_each_layer_state(SentenceEncoder& encoder, const TokenStore& store, const Communicator& communicator,
                          const LayerStatesSettings& settings,
                          const std::function<void(std::int64_t layer, const SentenceStates& states)>& take) {
  const at::Device device = encoder.settings().device;
  const auto batches = make_sentence_batches(store, tokens_of_batch(device));
  const std::size_t longest = store.length(batches.front().front());
  const auto layers = static_cast<std::size_t>(encoder.settings().encoder.layers) + 1;
  const int threads = at::get_num_threads(), embedding_threads = device.is_cpu() ? threads : 1;
  std::vector<std::unique_ptr<SentenceEvaluator>> evaluators;
  for (int i = 0; i < embedding_threads; ++i) evaluators.push_back(std::make_unique<SentenceEvaluator>(encoder));

  // As many batches at a time as there are evaluators: memory does not grow with their number.
  std::vector<BatchStates> group;
  const auto embed_and_give = [&] {
    run_tasks(static_cast<std::int64_t>(group.size()), embedding_threads, [&](std::int64_t i, int thread) {
      BatchStates& batch = group[static_cast<std::size_t>(i)];
      const std::uint32_t offset = encoder.position_offset();
      batch.packed = settings.pads ? pack_batch_with_pads(batch.sentences, store, offset, settings.pad, longest)
                                   : pack_batch(batch.sentences, store, offset);
      batch.layers.resize(layers);
      evaluators[static_cast<std::size_t>(thread)]->visit_layers(
          batch.packed, [&](std::int64_t layer, const at::Tensor& states) {
            batch.layers[static_cast<std::size_t>(layer)] = states.to(at::kCPU, at::kFloat, false, true);
          });
    });
    run_tasks(static_cast<std::int64_t>(layers), threads, [&](std::int64_t layer, int) {
      for (const BatchStates& batch : group) give_sentences(batch, static_cast<std::size_t>(layer), store, take);
    });
    group.clear();
  };
  const auto ranks = static_cast<std::size_t>(communicator.size());
  for (auto b = static_cast<std::size_t>(communicator.rank()); b < batches.size(); b += ranks) {
    group.push_back({batches[b], {}, {}});
    if (group.size() == evaluators.size()) embed_and_give();
  }
  if (!group.empty()) embed_and_give();
}

}  // namespace gausscse
