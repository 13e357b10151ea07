#include "experiments/training/training_step.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <numeric>

#include "dist/row_gather.hpp"

namespace gausscse {

namespace {

constexpr std::int64_t roles = 3;

}  // namespace

TrainingStep::TrainingStep(SentenceEncoder& encoder, const Objective& objective, Communicator& communicator,
                           const TrainingStepSettings& settings)
    : encoder_(encoder),
      objective_(objective),
      communicator_(communicator),
      settings_(settings),
      reduction_(settings.virtual_shards > 0 ? make_rank_invariant_reduction(communicator, settings.virtual_shards)
                                             : make_fast_reduction(communicator, settings.micro_batch)) {}

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

TrainingStep::Result TrainingStep::run(std::int64_t step, const std::vector<std::int64_t>& shares,
                                       const TripleReader& read, const StepRequests& requests) {
  const DropoutStep dropout_step = DropoutStep::of(settings_.seed, static_cast<std::uint64_t>(step));
  const DropoutStep* dropout = settings_.dropout ? &dropout_step : nullptr;
  const std::vector<AnchorRange> pieces = reduction_->pieces(shares);
  RowGather gather(communicator_, shares);
  const std::int64_t own = shares[static_cast<std::size_t>(communicator_.rank())];
  const std::int64_t first = gather.first_row(), width = 2 * encoder_.dimension();
  const bool in_memory = pieces.size() == 1 || settings_.micro_batch == 0 || settings_.micro_batch >= own;
  activations_.resize(in_memory ? std::max(pieces.size(), activations_.size()) : 1);

  at::Tensor embeddings = at::empty({roles, own, width}, encoder_.parameters().values().options());
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto [begin, end] = pieces[i];
    if (begin == end) continue;
    const PackedBatch batch = pack(read(begin, end), begin);
    tokens += batch.tokens();
    embeddings.narrow(1, begin - first, end - begin)
        .copy_(
            encoder_.forward(batch, dropout, in_memory ? &activations_[i] : nullptr).view({roles, end - begin, width}));
  }

  // Tokens, requests, and the parts of the loss.
  constexpr std::int64_t fixed_totals = 3;
  const auto parts = static_cast<std::int64_t>(reduction_->loss_parts());
  const at::Tensor totals = at::zeros({fixed_totals + parts}, at::kDouble);
  auto* total = totals.mutable_data_ptr<double>();
  const at::Tensor own_gradient =
      reduction_->evaluate(objective_, gather.gather(embeddings), pieces, gather, total + fixed_totals);

  ParameterStore& parameters = encoder_.parameters();
  reduction_->begin_backward(parameters);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto [begin, end] = pieces[i];
    reduction_->begin_piece(parameters);
    if (begin < end) {
      SentenceActivations& activations = activations_[in_memory ? i : 0];
      if (!in_memory) encoder_.forward(pack(read(begin, end), begin), dropout, &activations);
      const std::int64_t count = end - begin;
      encoder_.backward(activations,
                        own_gradient.narrow(1, begin - first, count).reshape({roles * count, width}).contiguous());
    }
    reduction_->end_piece();
  }
  reduction_->end_backward(parameters);

  total[0] = static_cast<double>(tokens);
  total[1] = requests.checkpoint ? 1 : 0;
  total[2] = requests.stop ? 1 : 0;
  communicator_.all_reduce_sum(totals);
  // Each part is one rank's, so that the order of this sum is the only one there is.
  const double loss = std::accumulate(total + fixed_totals, total + fixed_totals + parts, 0.0);
  return {loss, static_cast<std::int64_t>(total[0]), {.checkpoint = total[1] > 0, .stop = total[2] > 0}};
}

}  // namespace gausscse
