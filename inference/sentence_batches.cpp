#include "inference/sentence_batches.hpp"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <numeric>

namespace gausscse {

std::size_t tokens_of_batch(at::Device device) {
  return device.is_cpu() ? std::size_t{1} << 10 : std::size_t{1} << 16;
}

std::vector<std::vector<std::uint32_t>> make_sentence_batches(const TokenStore& store, std::size_t tokens_of_batch) {
  std::vector<std::uint32_t> order(store.sentences());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return store.length(a) > store.length(b); });
  std::vector<std::vector<std::uint32_t>> batches;
  std::size_t tokens = 0;
  for (const std::uint32_t sentence : order) {
    if (batches.empty() || tokens + store.length(sentence) > tokens_of_batch) {
      batches.emplace_back();
      tokens = 0;
    }
    batches.back().push_back(sentence);
    tokens += store.length(sentence);
  }
  return batches;
}

SentenceTokens tokens_of(std::span<const std::uint32_t> sentences, const TokenStore& store) {
  SentenceTokens tokens{{}, {0}};
  for (const std::uint32_t sentence : sentences) {
    store.append_tokens(sentence, tokens.ids);
    tokens.offsets.push_back(static_cast<std::uint32_t>(tokens.ids.size()));
  }
  return tokens;
}

PackedBatch pack_batch(const std::vector<std::uint32_t>& sentences, const TokenStore& store,
                       std::uint32_t position_offset) {
  const SentenceTokens tokens = tokens_of(sentences, store);
  return pack_sentences(tokens.ids, tokens.offsets, {}, position_offset);
}

PackedBatch pack_batch_with_pads(const std::vector<std::uint32_t>& sentences, const TokenStore& store,
                                 std::uint32_t position_offset, std::uint32_t pad, std::size_t longest) {
  std::vector<std::uint32_t> ids, offsets{0};
  std::vector<std::int32_t> attended;
  for (const std::uint32_t sentence : sentences) {
    store.append_tokens(sentence, ids);
    attended.push_back(static_cast<std::int32_t>(store.length(sentence)));
    if (store.length(sentence) < longest) ids.push_back(pad);
    offsets.push_back(static_cast<std::uint32_t>(ids.size()));
  }
  PackedBatch batch = pack_sentences(ids, offsets, {}, position_offset);
  batch.attended = at::tensor(attended, at::kInt);
  return batch;
}

}  // namespace gausscse
