#include "inference/embed_sentences.hpp"

#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "dist/row_gather.hpp"
#include "inference/sentence_batches.hpp"
#include "model/device/device_memory.hpp"
#include "model/device/transfers.hpp"
#include "model/parallel_tasks.hpp"

namespace gausscse {

namespace {

/// Returns the number of first sentences that have `most_tokens` together at most; at least one.
std::size_t count_with_tokens(std::span<const std::uint32_t> sentences, const TokenStore& store,
                              std::size_t most_tokens) {
  std::size_t count = 1, tokens = store.length(sentences[0]);
  while (count < sentences.size() && tokens + store.length(sentences[count]) <= most_tokens)
    tokens += store.length(sentences[count++]);
  return count;
}

/// Embeds the batch of that number into `out`, at most `most_tokens` at once. Where memory is refused, kept batches are
/// given back; where there are none, `most_tokens` is halved, down to one sentence, for all threads.
void embed_batch(const SentenceEmbedder& model, BatchEmbedder& embedder, const TokenStore& store, std::size_t number,
                 std::span<const std::uint32_t> sentences, std::atomic<std::size_t>& most_tokens, KeptBatches& kept,
                 at::Tensor out) {
  const std::size_t all = sentences.size();
  while (!sentences.empty()) {
    const std::span<const std::uint32_t> some =
        sentences.first(count_with_tokens(sentences, store, most_tokens.load()));
    const auto rows = static_cast<std::int64_t>(some.size());
    std::size_t tokens_at_once = 0;
    for (const std::uint32_t sentence : some) tokens_at_once += store.length(sentence);
    const auto pack = [&] {
      const SentenceTokens tokens = tokens_of(some, store);
      return model.pack(tokens.ids, tokens.offsets);
    };
    try {
      const PackedBatch batch = some.size() == all ? kept.get(number, out.device(), pack) : pack();
      out.narrow(0, 0, rows).copy_(embedder.embed(batch));
    } catch (const std::exception& error) {
      if (!ops::is_memory_refused(error) || (rows == 1 && kept.bytes() == 0)) throw;
      if (kept.bytes() > 0) {
        kept.stop();
      } else {
        // Another thread may have come to less.
        std::size_t most = most_tokens;
        while (tokens_at_once / 2 < most && !most_tokens.compare_exchange_weak(most, tokens_at_once / 2)) continue;
      }
      embedder.release_memory();
      ops::release_cached_memory(out.device());
      continue;
    }
    sentences = sentences.subspan(some.size());
    out = out.narrow(0, rows, out.size(0) - rows);
  }
}

/// Embeds batches `first`, `first + stride`, ... into the rows of `out`. On CPUs each thread embeds whole batches by
/// itself: no thread waits for another within a batch, and the bits do not depend on the number of threads.
void embed_own(SentenceEmbedder& model, const TokenStore& store, const std::vector<std::vector<std::uint32_t>>& batches,
               std::size_t first, std::size_t stride, KeptBatches& kept, const at::Tensor& out) {
  std::vector<std::pair<std::size_t, std::int64_t>> work;  // batch and its first row
  std::int64_t row = 0;
  for (std::size_t b = first; b < batches.size(); b += stride) {
    work.emplace_back(b, row);
    row += static_cast<std::int64_t>(batches[b].size());
  }
  const auto count = static_cast<std::int64_t>(work.size());
  const int threads = out.is_cpu() ? static_cast<int>(std::clamp<std::int64_t>(count, 1, at::get_num_threads())) : 1;
  std::vector<std::unique_ptr<BatchEmbedder>> embedders;
  for (int i = 0; i < threads; ++i) embedders.push_back(model.make_batch_embedder());
  std::atomic<std::size_t> most_tokens = std::numeric_limits<std::size_t>::max();
  run_tasks(count, threads, [&](std::int64_t i, int thread) {
    // As in a training step.
    const at::AutoDispatchBelowADInplaceOrView no_autograd;
    const auto& [b, first_row] = work[static_cast<std::size_t>(i)];
    embed_batch(model, *embedders[static_cast<std::size_t>(thread)], store, b, batches[b], most_tokens, kept,
                out.narrow(0, first_row, static_cast<std::int64_t>(batches[b].size())));
  });
}

/// Embeddings as the ranks hold them: those of rank 0's batches, then of rank 1's, ...
struct GatheredRows {
  at::Tensor rows;   ///< [sentences, width]
  at::Tensor order;  ///< [sentences], int64, on the CPU: the sentence of each row
};

/// Gathers the embeddings of some batches of `store` on `device`: the CPU or the model's.
GatheredRows embed_and_gather(SentenceEmbedder& model, const TokenStore& store,
                              const std::vector<std::vector<std::uint32_t>>& batches, Communicator& communicator,
                              KeptBatches& kept, at::Device device) {
  const at::TensorOptions options = model.options();
  const auto ranks = static_cast<std::size_t>(communicator.size());
  std::vector<std::int64_t> rows_of_rank(ranks, 0);
  std::int64_t sentences = 0;
  for (const std::vector<std::uint32_t>& batch : batches) sentences += static_cast<std::int64_t>(batch.size());
  at::Tensor order = at::empty({sentences}, at::kLong);
  auto* place = order.mutable_data_ptr<std::int64_t>();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (std::size_t b = rank; b < batches.size(); b += ranks) {
      rows_of_rank[rank] += static_cast<std::int64_t>(batches[b].size());
      place = std::copy(batches[b].begin(), batches[b].end(), place);
    }
  }
  const auto own_rank = static_cast<std::size_t>(communicator.rank());
  const at::Tensor local = at::empty({1, rows_of_rank[own_rank], model.width()}, options);
  embed_own(model, store, batches, own_rank, ranks, kept, local[0]);
  return {RowGather(communicator, rows_of_rank).gather(local.to(device))[0], order};
}

/// Gathers the embeddings of all sentences.
GatheredRows embed_all(SentenceEmbedder& model, const TokenStore& store, Communicator& communicator, KeptBatches& kept,
                       at::Device device) {
  const auto batches = make_sentence_batches(store, tokens_of_batch(model.options().device()));
  return embed_and_gather(model, store, batches, communicator, kept, device);
}

at::Tensor in_order(const at::Tensor& rows, const at::Tensor& order) {
  return at::empty(rows.sizes(), rows.options()).index_copy_(0, ops::to_device(order, rows.device()), rows);
}

at::Tensor embed_on_root(SentenceEmbedder& model, const TokenStore& store, Communicator& communicator,
                         KeptBatches& kept, at::Device device) {
  const GatheredRows gathered = embed_all(model, store, communicator, kept, device);
  return communicator.is_root() ? in_order(gathered.rows, gathered.order) : at::Tensor();
}

}  // namespace

at::Tensor embed_sentences(SentenceEmbedder& model, const TokenStore& store, Communicator& communicator) {
  KeptBatches none(0);
  const GatheredRows gathered = embed_all(model, store, communicator, none, at::kCPU);
  return in_order(gathered.rows, gathered.order);
}

void embed_in_blocks(SentenceEmbedder& model, const TokenStore& store, Communicator& communicator,
                     const VisitBlock& visit) {
  constexpr std::size_t sentences_of_block = 4096;
  KeptBatches none(0);
  std::vector<std::vector<std::uint32_t>> block;
  std::size_t sentences = 0;
  const auto embed_block = [&] {
    if (block.empty()) return;
    const GatheredRows gathered = embed_and_gather(model, store, block, communicator, none, at::kCPU);
    const auto* first = gathered.order.const_data_ptr<std::int64_t>();
    const std::vector<std::uint32_t> order(first, first + gathered.order.numel());
    visit(order, gathered.rows);
    block.clear();
    sentences = 0;
  };
  for (std::vector<std::uint32_t>& batch : make_sentence_batches(store, tokens_of_batch(model.options().device()))) {
    sentences += batch.size();
    block.push_back(std::move(batch));
    if (sentences >= sentences_of_block * static_cast<std::size_t>(communicator.size())) embed_block();
  }
  embed_block();
}

at::Tensor embed_sentences_on_root(SentenceEmbedder& model, const TokenStore& store, Communicator& communicator) {
  KeptBatches none(0);
  return embed_on_root(model, store, communicator, none, at::kCPU);
}

at::Tensor embed_sentences_in_place(SentenceEmbedder& model, const TokenStore& store, Communicator& communicator,
                                    KeptBatches& kept, std::int64_t most_bytes) {
  const at::TensorOptions options = model.options();
  const std::int64_t bytes = static_cast<std::int64_t>(store.sentences()) * model.width() *
                             static_cast<std::int64_t>(options.dtype().itemsize());
  return embed_on_root(model, store, communicator, kept, bytes <= most_bytes ? options.device() : at::Device(at::kCPU));
}

}  // namespace gausscse
