#include "experiments/training/training_step.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <numeric>

#include "dist/row_gather.hpp"

namespace gausscse {

namespace {

constexpr std::int64_t roles = 3;

}  // namespace

TrainingStep::TrainingStep(SentenceEncoder& encoder, const Objective& objective, Communicator& communicator,
                           const TrainingStepSettings& settings)
    : encoder_(encoder), objective_(objective), communicator_(communicator), settings_(settings) {}

PackedBatch TrainingStep::pack(const TripleSentences& sentences, std::int64_t begin) const {
  const std::size_t count = sentences.offsets.size() - 1;
  std::vector<std::uint32_t> samples(count);
  // Numbered by place in the global batch: dropout is then the same for any share and micro-batch.
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t triples = count / roles;
    samples[i] = static_cast<std::uint32_t>(roles * (static_cast<std::size_t>(begin) + i % triples) + i / triples);
  }
  return pack_sentences(sentences.ids, sentences.offsets, samples, encoder_.position_offset());
}

std::unique_ptr<GradientReduction> TrainingStep::make_reduction(const std::vector<std::int64_t>& shares) {
  return settings_.virtual_shards > 0 ? make_rank_invariant_reduction(communicator_, shares, settings_.virtual_shards)
                                      : make_fast_reduction(communicator_, shares, settings_.micro_batch);
}

TrainingStep::Result TrainingStep::run(std::int64_t step, const std::vector<std::int64_t>& shares,
                                       const TripleReader& read, const StepRequests& requests) {
  const DropoutStep dropout_step = DropoutStep::of(settings_.seed, static_cast<std::uint64_t>(step));
  const DropoutStep* dropout = settings_.dropout ? &dropout_step : nullptr;
  const std::unique_ptr<GradientReduction> reduction = make_reduction(shares);
  const std::vector<AnchorRange>& pieces = reduction->pieces();
  RowGather gather(communicator_, shares);
  const std::int64_t own = shares[static_cast<std::size_t>(communicator_.rank())];
  const std::int64_t first = gather.first_row(), width = 2 * encoder_.dimension();
  const bool in_one_piece = pieces.size() == 1;

  at::Tensor embeddings = at::empty({roles, own, width}, encoder_.parameters().values().options());
  std::int64_t tokens = 0;
  PackedBatch batch;
  for (const auto& [begin, end] : pieces) {
    if (begin == end) continue;
    batch = pack(read(begin, end), begin);
    tokens += batch.tokens();
    embeddings.narrow(1, begin - first, end - begin)
        .copy_(encoder_.forward(batch, dropout, in_one_piece).view({roles, end - begin, width}));
  }

  // Tokens, requests, and the parts of the loss.
  constexpr std::int64_t fixed_totals = 3;
  const auto parts = static_cast<std::int64_t>(reduction->loss_parts());
  const at::Tensor totals = at::zeros({fixed_totals + parts}, at::kDouble);
  auto* total = totals.mutable_data_ptr<double>();
  at::Tensor own_gradient;
  reduction->evaluate(objective_, gather.gather(embeddings), own_gradient, total + fixed_totals);

  reduction->begin_backward(encoder_.parameters());
  for (const auto& [begin, end] : pieces) {
    if (begin < end) {
      if (!in_one_piece) {
        batch = pack(read(begin, end), begin);
        encoder_.forward(batch, dropout, true);
      }
      const std::int64_t count = end - begin;
      encoder_.backward(batch,
                        own_gradient.narrow(1, begin - first, count).reshape({roles * count, width}).contiguous());
    }
    reduction->end_piece(encoder_.parameters());
  }
  reduction->end_backward(encoder_.parameters());

  total[0] = static_cast<double>(tokens);
  total[1] = requests.checkpoint ? 1 : 0;
  total[2] = requests.stop ? 1 : 0;
  communicator_.all_reduce_sum(totals);
  // Each part is one rank's, so that the order of this sum is the only one there is.
  const double loss = std::accumulate(total + fixed_totals, total + fixed_totals + parts, 0.0);
  return {loss, static_cast<std::int64_t>(total[0]), {.checkpoint = total[1] > 0, .stop = total[2] > 0}};
}

}  // namespace gausscse
