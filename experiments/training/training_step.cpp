#include "experiments/training/training_step.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <algorithm>

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

TrainingStep::Result TrainingStep::run(std::int64_t step, const std::vector<std::int64_t>& shares,
                                       const TripleReader& read) {
  const DropoutStep dropout_step = DropoutStep::of(settings_.seed, static_cast<std::uint64_t>(step));
  const DropoutStep* dropout = settings_.dropout ? &dropout_step : nullptr;
  RowGather gather(communicator_, shares);
  const std::int64_t own = shares[static_cast<std::size_t>(communicator_.rank())];
  const std::int64_t first = gather.first_row(), width = 2 * encoder_.dimension();
  const std::int64_t micro = settings_.micro_batch > 0 ? std::min(settings_.micro_batch, own) : own;
  const bool in_one_piece = micro == own;

  at::Tensor embeddings = at::empty({roles, own, width}, encoder_.parameters().values().options());
  std::int64_t tokens = 0;
  PackedBatch batch;
  for (std::int64_t begin = 0; begin < own; begin += micro) {
    const std::int64_t count = std::min(micro, own - begin);
    batch = pack(read(first + begin, first + begin + count), first + begin);
    tokens += batch.tokens();
    embeddings.narrow(1, begin, count)
        .copy_(encoder_.forward(batch, dropout, in_one_piece).view({roles, count, width}));
  }

  const at::Tensor all = gather.gather(embeddings);
  at::Tensor gradient = at::empty_like(all);
  const double own_loss = objective_.evaluate(all, {first, first + own}, gradient);
  const at::Tensor own_gradient = gather.scatter_gradient(gradient);

  encoder_.parameters().gradients().zero_();
  for (std::int64_t begin = 0; begin < own; begin += micro) {
    const std::int64_t count = std::min(micro, own - begin);
    if (!in_one_piece) {
      batch = pack(read(first + begin, first + begin + count), first + begin);
      encoder_.forward(batch, dropout, true);
    }
    encoder_.backward(batch, own_gradient.narrow(1, begin, count).reshape({roles * count, width}).contiguous());
  }
  communicator_.all_reduce_sum(encoder_.parameters().gradients());

  at::Tensor totals = at::empty({2}, at::kDouble);
  totals.mutable_data_ptr<double>()[0] = own_loss;
  totals.mutable_data_ptr<double>()[1] = static_cast<double>(tokens);
  communicator_.all_reduce_sum(totals);
  return {totals.const_data_ptr<double>()[0], static_cast<std::int64_t>(totals.const_data_ptr<double>()[1])};
}

}  // namespace gausscse
