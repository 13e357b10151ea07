#include "experiments/evaluation/embed_sentences.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "dist/row_gather.hpp"

namespace gausscse {

namespace {

/// Large enough for efficient products, small enough for the caches and for sharing out.
constexpr std::size_t tokens_of_batch = 2048;

/// Sentences by falling length, cut into batches of about `tokens_of_batch` tokens.
std::vector<std::vector<std::uint32_t>> make_batches(const TokenStore& store) {
  std::vector<std::uint32_t> order(store.sentences());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return store.length(a) > store.length(b); });
  std::vector<std::vector<std::uint32_t>> batches;
  std::size_t tokens = tokens_of_batch;
  for (const std::uint32_t sentence : order) {
    if (tokens + store.length(sentence) > tokens_of_batch) {
      batches.emplace_back();
      tokens = 0;
    }
    batches.back().push_back(sentence);
    tokens += store.length(sentence);
  }
  return batches;
}

PackedBatch pack(const std::vector<std::uint32_t>& sentences, const TokenStore& store, std::uint32_t position_offset) {
  std::vector<std::uint32_t> ids, offsets{0};
  for (const std::uint32_t sentence : sentences) {
    store.append_tokens(sentence, ids);
    offsets.push_back(static_cast<std::uint32_t>(ids.size()));
  }
  return pack_sentences(ids, offsets, {}, position_offset);
}

}  // namespace

at::Tensor embed_sentences(SentenceEncoder& encoder, const TokenStore& store, Communicator& communicator) {
  const auto batches = make_batches(store);
  const auto ranks = static_cast<std::size_t>(communicator.size());
  std::vector<std::int64_t> rows_of_rank(ranks, 0);
  // Rows in the order in which ranks hold them: those of rank 0's batches, then of rank 1's, ...
  at::Tensor order = at::empty({static_cast<std::int64_t>(store.sentences())}, at::kLong);
  auto* place = order.mutable_data_ptr<std::int64_t>();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (std::size_t b = rank; b < batches.size(); b += ranks) {
      rows_of_rank[rank] += static_cast<std::int64_t>(batches[b].size());
      place = std::copy(batches[b].begin(), batches[b].end(), place);
    }
  }
  const auto own_rank = static_cast<std::size_t>(communicator.rank());
  const std::int64_t width = 2 * encoder.dimension();
  at::Tensor local = at::empty({1, rows_of_rank[own_rank], width}, encoder.parameters().values().options());
  std::int64_t row = 0;
  for (std::size_t b = own_rank; b < batches.size(); b += ranks) {
    const at::Tensor batch = encoder.forward(pack(batches[b], store, encoder.position_offset()), nullptr, nullptr);
    local[0].narrow(0, row, batch.size(0)).copy_(batch);
    row += batch.size(0);
  }
  const at::Tensor gathered = RowGather(communicator, rows_of_rank).gather(local)[0];
  at::Tensor all = at::empty({static_cast<std::int64_t>(store.sentences()), width}, local.options());
  all.index_copy_(0, order, gathered);
  return all;
}

}  // namespace gausscse
