#include "training/training_step.hpp"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <exception>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "dist/row_gather.hpp"
#include "model/device/transfers.hpp"
#include "training/step_pass.hpp"

namespace gausscse {

namespace {

/// Calls `visit(shard, rows)` for each shard of `piece`, with its part of `rows`, [roles, examples, width].
template <typename Visit>
void for_each_shard(const MicroBatch& micro_batch, std::int64_t roles, const at::Tensor& rows, const Visit& visit) {
  for (const AnchorRange& shard : micro_batch.shards) {
    const std::int64_t count = shard.end - shard.begin;
    visit(
        shard,
        rows.narrow(0, roles * (shard.begin - micro_batch.begin()), roles * count).view({roles, count, rows.size(1)}));
  }
}

}  // namespace

TrainingStep::TrainingStep(SentenceEncoder& encoder, const Objective& objective, Communicator& communicator,
                           const TrainingStepSettings& settings)
    : encoder_(encoder),
      objective_(objective),
      communicator_(communicator),
      settings_(settings),
      reduction_(settings.virtual_shards > 0 ? make_rank_invariant_reduction(communicator, settings.virtual_shards)
                                             : make_fast_reduction(communicator, settings.exchange, settings.bucket)),
      micro_batch_(settings.micro_batch) {}

at::Tensor TrainingStep::objective_parameters() const {
  const std::vector<ParameterSpec> specs = objective_.parameters();
  if (specs.empty()) return {};
  return encoder_.parameters().joined_value(specs.front().name, count_elements(specs), 0);
}

PreparedBatch TrainingStep::prepare(std::int64_t step, const std::vector<std::int64_t>& shares,
                                    const ExampleReader& read) const {
  return packed(step, shares, read, micro_batch_);
}

PreparedBatch TrainingStep::packed(std::int64_t step, const std::vector<std::int64_t>& shares,
                                   const ExampleReader& read, std::int64_t micro_batch) const {
  PreparedBatch batch{.step = step,
                      .shares = shares,
                      .read = read,
                      .micro_batch = micro_batch,
                      .micro_batches = reduction_->micro_batches(shares, micro_batch),
                      .packed = {},
                      .labels_and_groups = {}};
  pack_micro_batches(batch, objective_, encoder_);
  return batch;
}

TrainingStep::Result TrainingStep::run(const PreparedBatch& batch, TrainingRequests* requests) {
  // Gradients are this program's own: LibTorch's calls need not pass through its autograd.
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  asked_ = {};
  while (true) {
    held_ = {.growing = Growing::activations};
    StepPass pass(*this, batch, requests);
    pass.retryable([&] { embed(pass); });
    // Nobody else waits for the rest.
    if (pass.is_cut && communicator_.size() == 1) return {.requests = {.stop = true}, .is_whole = false};
    RankLoss loss = evaluate(pass);
    backward(pass, loss.gradient);
    if (const std::optional<Result> result = sum_over_ranks(pass, loss.parts->get())) return *result;
  }
}

void TrainingStep::embed(StepPass& pass) {
  const Holding growing(held_.growing, Growing::activations);
  pass.embeddings = at::empty({objective_.roles(), pass.share, encoder_.width()}, encoder_.options());
  held_.bytes_of_embeddings = static_cast<std::int64_t>(pass.embeddings.nbytes());
  for (std::size_t i = 0; i < pass.current->micro_batches.size(); ++i) {
    const MicroBatch& micro_batch = pass.current->micro_batches[i];
    if (micro_batch.examples() == 0) continue;
    if (must_stop(pass)) {
      // Other ranks compare their anchors with these rows.
      pass.embeddings.zero_();
      return;
    }
    const at::Tensor rows = forward(pass, i, pass.keeps_activations ? &activations_[i] : nullptr);
    for_each_shard(micro_batch, objective_.roles(), rows, [&](const AnchorRange& shard, const at::Tensor& of_shard) {
      pass.embeddings.narrow(1, shard.begin - pass.first, shard.end - shard.begin).copy_(of_shard);
    });
  }
}

RankLoss TrainingStep::evaluate(StepPass& pass) {
  const Holding growing(held_.growing, Growing::candidates);
  OwnRows own{.embeddings = pass.embeddings,
              .parameters = objective_parameters(),
              .step = {.seed = settings_.seed, .number = static_cast<std::uint64_t>(pass.batch.step)}};
  if (pass.batch.labels_and_groups.defined()) {
    const at::Tensor all =
        RowGather(communicator_, pass.batch.shares, pass).gather_integers(pass.batch.labels_and_groups);
    pass.retryable([&] { own.labels = {all.select(1, 0).contiguous(), all.select(1, 1).contiguous()}; });
  }
  own.labels.texts = pass.batch.texts.texts;
  own.labels.entailed = pass.batch.texts.entailed;
  // Exchanges candidates and calls the objective, GaussianLoss of model/objective/gaussian_contrastive.cpp for
  // GaussCSE.
  at::Tensor parts;
  pass.retryable([&] {
    parts =
        at::zeros({static_cast<std::int64_t>(reduction_->loss_parts())}, pass.embeddings.options().dtype(at::kDouble));
  });
  // A copy, as micro-batches may be halved meanwhile.
  const std::vector<MicroBatch> micro_batches = pass.current->micro_batches;
  RankLoss loss;
  loss.gradient = reduction_->evaluate(objective_, own, pass.batch.shares, micro_batches, parts, pass);
  pass.retryable([&] { loss.parts.emplace(parts); });
  return loss;
}

void TrainingStep::backward(StepPass& pass, const at::Tensor& gradient) {
  bool has_begun = false;
  pass.retryable([&] {
    // What other ranks have of this one's sums cannot be taken back.
    pass.must_repeat = pass.must_repeat || (has_begun && !reduction_->can_begin_again());
    if (has_begun && pass.must_repeat) return;
    reduction_->begin_backward(encoder_);
    has_begun = true;
    for (std::size_t i = 0; i < pass.current->micro_batches.size() && !pass.must_repeat; ++i) {
      const MicroBatch& micro_batch = pass.current->micro_batches[i];
      reduction_->begin_micro_batch(encoder_, micro_batch);
      if (micro_batch.examples() > 0 && !must_stop(pass)) backward_of_micro_batch(pass, i, gradient);
      encoder_.finish_gradients(0);
      reduction_->end_micro_batch(micro_batch);
    }
    // Of a rank that has no micro-batch.
    encoder_.finish_gradients(0);
  });
  reduction_->end_backward(encoder_.parameters());
}

bool TrainingStep::must_stop(StepPass& pass) {
  if (pass.requests && pass.current->micro_batches.size() > 1 && !pass.is_cut)
    pass.is_cut = pass.step.asked_.stop = pass.step.asked_.stop || pass.requests->stop();
  return pass.is_cut;
}

std::optional<TrainingStep::Result> TrainingStep::sum_over_ranks(StepPass& pass, const at::Tensor& loss_parts) {
  Result result{};
  for (std::size_t i = 0; i < pass.current->micro_batches.size(); ++i) {
    const std::int64_t examples = pass.current->micro_batches[i].examples();
    if (examples == 0) continue;
    result.tokens += pass.current->packed[i].batch.tokens();
    ++result.micro_batches;
    result.largest_micro_batch = std::max(result.largest_micro_batch, examples);
  }
  // One collective for all: tokens, requests, whether a rank must repeat the step or has cut it off. It also has the
  // micro-batches of ranks that were refused memory, and the parts of the loss.
  const std::int64_t ranks = communicator_.size(), first_rank = 5, first_part = first_rank + ranks;
  at::Tensor sums;
  pass.retryable([&] { sums = at::zeros({first_part + loss_parts.numel()}, at::kDouble); });
  sums.narrow(0, first_part, loss_parts.numel()).copy_(loss_parts);
  auto* sum = sums.mutable_data_ptr<double>();
  sum[0] = static_cast<double>(result.tokens);
  if (pass.requests) {
    asked_.checkpoint = pass.requests->take_checkpoint() || asked_.checkpoint;
    asked_.stop = asked_.stop || pass.requests->stop();
  }
  sum[1] = asked_.checkpoint ? 1 : 0;
  sum[2] = asked_.stop ? 1 : 0;
  sum[3] = pass.must_repeat ? 1 : 0;
  sum[4] = pass.is_cut ? 1 : 0;
  sum[first_rank + communicator_.rank()] = static_cast<double>(halved_micro_batch_);
  communicator_.all_reduce_sum(sums);
  result.requests = {.checkpoint = sum[1] > 0, .stop = sum[2] > 0};
  result.is_whole = sum[4] == 0;
  if (!result.is_whole) return result;
  if (sum[3] > 0) return std::nullopt;
  // Each part is one rank's, so that the order of this sum is the only one there is.
  result.loss = std::accumulate(sum + first_part, sum + sums.numel(), 0.0);
  result.tokens = static_cast<std::int64_t>(sum[0]);
  for (std::int64_t rank = first_rank; rank < first_part; ++rank) {
    const auto micro_batch = static_cast<std::int64_t>(sum[rank]);
    if (micro_batch > 0 && (result.halved_micro_batch == 0 || micro_batch < result.halved_micro_batch))
      result.halved_micro_batch = micro_batch;
  }
  return result;
}

at::Tensor TrainingStep::forward(const StepPass& pass, std::size_t micro_batch, SentenceActivations* kept) {
  const PreparedBatch::Packed& packed = pass.current->packed[micro_batch];
  if (!pass.keeps_activations) held_.sentences = held_.tokens = 0;
  held_.sentences += packed.batch.sentences();
  held_.tokens += packed.batch.tokens();
  return encoder_.forward(packed.batch, settings_.dropout ? &pass.dropout : nullptr, kept, packed.longest);
}

void TrainingStep::backward_of_micro_batch(const StepPass& pass, std::size_t micro_batch, const at::Tensor& gradient) {
  const Holding growing(held_.growing, Growing::activations);
  SentenceActivations& activations = activations_[pass.keeps_activations ? micro_batch : 0];
  if (!pass.keeps_activations) forward(pass, micro_batch, &activations);
  const MicroBatch& examples = pass.current->micro_batches[micro_batch];
  const std::int64_t roles = objective_.roles();
  at::Tensor of_micro_batch = at::empty({roles * examples.examples(), encoder_.width()}, gradient.options());
  for_each_shard(examples, roles, of_micro_batch, [&](const AnchorRange& shard, at::Tensor of_shard) {
    of_shard.copy_(gradient.narrow(1, shard.begin - pass.first, shard.end - shard.begin));
  });
  GradientReadyCallback on_final;
  if (micro_batch + 1 == pass.current->micro_batches.size())
    on_final = [&](std::int64_t element) {
      encoder_.finish_gradients(element);
      reduction_->gradients_are_ready(encoder_.parameters(), element);
    };
  encoder_.backward(activations, of_micro_batch, on_final);
}

}  // namespace gausscse
