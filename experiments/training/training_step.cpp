#include "experiments/training/training_step.hpp"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "dist/row_gather.hpp"
#include "model/ops/device_kernels.hpp"
#include "model/ops/host_copy.hpp"

namespace gausscse {

namespace {

/// Calls `visit(shard, rows)` for each shard of `piece`, with its part of `rows`, [roles, examples, width].
template <typename Visit>
void for_each_shard(const Piece& piece, std::int64_t roles, const at::Tensor& rows, const Visit& visit) {
  for (const AnchorRange& shard : piece.shards) {
    const std::int64_t count = shard.end - shard.begin;
    visit(shard,
          rows.narrow(0, roles * (shard.begin - piece.begin()), roles * count).view({roles, count, rows.size(1)}));
  }
}

/// Whether a smaller micro-batch would leave less in memory: a piece has one example at least, or one of the `shards`.
bool can_shrink(const std::vector<Piece>& pieces, bool shards, bool all_in_memory) {
  if (all_in_memory && pieces.size() > 1) return true;
  return std::any_of(pieces.begin(), pieces.end(),
                     [&](const Piece& piece) { return shards ? piece.shards.size() > 1 : piece.examples() > 1; });
}

}  // namespace

TrainingStep::TrainingStep(SentenceEncoder& encoder, const Objective& objective, Communicator& communicator,
                           const TrainingStepSettings& settings)
    : encoder_(encoder),
      objective_(objective),
      communicator_(communicator),
      settings_(settings),
      reduction_(settings.virtual_shards > 0
                     ? make_rank_invariant_reduction(communicator, settings.virtual_shards, settings.micro_batch)
                     : make_fast_reduction(communicator, settings.micro_batch, settings.exchange, settings.bucket)) {}

std::vector<MemoryPart> TrainingStep::memory() const {
  std::int64_t activations = encoder_.bytes_of_scratch();
  for (const SentenceActivations& piece : activations_) activations += piece.bytes();
  const bool shards = settings_.virtual_shards > 0;
  const char* of_pieces =
      shards ? "cut batches into more virtual shards (training.virtual_shards)" : "lower training.max_tokens";
  const bool can_travel = !shards && settings_.exchange == CandidateExchange::gather && communicator_.size() > 1;
  return {{.what = concat("activations of ", held_.sentences, " sentences (", held_.tokens, " tokens)"),
           .bytes = activations,
           .growing = held_.growing == Growing::activations,
           .advice = held_.pieces_can_shrink ? embed_fewer_at_a_time : of_pieces},
          {.what = "candidates with their gradient",
           .bytes = held_.bytes_of_embeddings + reduction_->bytes_of_candidates(),
           .growing = held_.growing == Growing::candidates,
           .advice = can_travel ? "let candidates travel around the ring of ranks (training.exchange: ring)"
                                : "lower training.batch_size"},
          {.what = "sums of gradients over virtual shards", .bytes = reduction_->bytes_of_sums(encoder_.parameters())},
          {.what = "scratch of kernels",
           .bytes = static_cast<std::int64_t>(ops::context_of(encoder_.parameters().values()).scratch->bytes())},
          {.what = "token ids of this step", .bytes = held_.bytes_of_batch}};
}

at::Tensor TrainingStep::objective_parameters() const {
  const std::vector<ParameterSpec> specs = objective_.parameters();
  if (specs.empty()) return {};
  return encoder_.parameters().joined_value(specs.front().name, count_elements(specs), 0);
}

PreparedBatch TrainingStep::prepare(std::int64_t step, const std::vector<std::int64_t>& shares,
                                    const ExampleReader& read) const {
  PreparedBatch batch{
      .step = step, .shares = shares, .pieces = reduction_->pieces(shares), .packed = {}, .integers = {}};
  pack_pieces(batch, read, objective_, encoder_);
  return batch;
}

TrainingStep::Result TrainingStep::run(const PreparedBatch& batch, const StepRequests& requests,
                                       const at::Tensor& carried) {
  // Gradients are this program's own: LibTorch's calls need not pass through its autograd.
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const std::vector<std::int64_t>& shares = batch.shares;
  const std::vector<Piece>& pieces = batch.pieces;
  const DropoutStep dropout_step = DropoutStep::of(settings_.seed, static_cast<std::uint64_t>(batch.step));
  const DropoutStep* dropout = settings_.dropout ? &dropout_step : nullptr;
  const std::int64_t own = shares[static_cast<std::size_t>(communicator_.rank())];
  const std::int64_t roles = objective_.roles(), width = encoder_.width();
  const std::int64_t first = pieces.empty() ? 0 : pieces.front().begin();
  const bool in_memory = pieces.size() == 1 || settings_.micro_batch == 0 || settings_.micro_batch >= own;
  activations_.resize(in_memory ? std::max(pieces.size(), activations_.size()) : 1);
  held_ = {.growing = Growing::activations,
           .bytes_of_batch = batch.bytes_on_device(),
           .pieces_can_shrink = can_shrink(pieces, settings_.virtual_shards > 0, in_memory)};
  const auto enter = [&](const PreparedBatch::Packed& piece) {
    if (!in_memory) held_.sentences = held_.tokens = 0;
    held_.sentences += piece.batch.sentences();
    held_.tokens += piece.batch.tokens();
  };

  at::Tensor embeddings = at::empty({roles, own, width}, encoder_.parameters().values().options());
  held_.bytes_of_embeddings = static_cast<std::int64_t>(embeddings.nbytes());
  std::int64_t tokens = 0, pieces_with_work = 0, largest_piece = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].examples() == 0) continue;
    const PreparedBatch::Packed& piece = batch.packed[i];
    enter(piece);
    tokens += piece.batch.tokens();
    ++pieces_with_work;
    largest_piece = std::max(largest_piece, pieces[i].examples());
    const at::Tensor rows =
        encoder_.forward(piece.batch, dropout, in_memory ? &activations_[i] : nullptr, piece.longest);
    for_each_shard(pieces[i], roles, rows, [&](const AnchorRange& shard, const at::Tensor& of_shard) {
      embeddings.narrow(1, shard.begin - first, shard.end - shard.begin).copy_(of_shard);
    });
  }

  held_.growing = Growing::candidates;
  OwnRows own_rows{.embeddings = embeddings,
                   .parameters = objective_parameters(),
                   .step = {.seed = settings_.seed, .number = static_cast<std::uint64_t>(batch.step)}};
  if (batch.integers.defined()) {
    const at::Tensor all = RowGather(communicator_, shares).gather_integers(batch.integers);
    own_rows.labels = {all.select(1, 0).contiguous(), all.select(1, 1).contiguous()};
  }
  const auto parts = static_cast<std::int64_t>(reduction_->loss_parts());
  // Parts of the loss, and what is carried.
  const at::Tensor figures =
      at::zeros({carried.defined() ? parts + 1 : parts}, embeddings.options().dtype(at::kDouble));
  const at::Tensor own_gradient =
      reduction_->evaluate(objective_, own_rows, shares, pieces, figures.narrow(0, 0, parts));
  if (carried.defined()) figures.narrow(0, parts, 1).copy_(carried);
  held_.growing = Growing::nothing;
  // Waited for behind the backward, so that a device has work meanwhile.
  ops::HostCopy figures_on_host(figures);

  ParameterStore& parameters = encoder_.parameters();
  reduction_->begin_backward(parameters);
  const GradientsAreFinal on_final = [&](std::int64_t element) {
    reduction_->gradients_are_final(parameters, element);
  };
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    reduction_->begin_piece(parameters, pieces[i]);
    if (pieces[i].examples() > 0) {
      held_.growing = Growing::activations;
      SentenceActivations& activations = activations_[in_memory ? i : 0];
      if (!in_memory) {
        const PreparedBatch::Packed& piece = batch.packed[i];
        enter(piece);
        encoder_.forward(piece.batch, dropout, &activations, piece.longest);
      }
      at::Tensor gradient = at::empty({roles * pieces[i].examples(), width}, own_gradient.options());
      for_each_shard(pieces[i], roles, gradient, [&](const AnchorRange& shard, at::Tensor of_shard) {
        of_shard.copy_(own_gradient.narrow(1, shard.begin - first, shard.end - shard.begin));
      });
      encoder_.backward(activations, gradient, i + 1 == pieces.size() ? on_final : GradientsAreFinal());
      held_.growing = Growing::nothing;
    }
    reduction_->end_piece(pieces[i]);
  }
  reduction_->end_backward(parameters);
  held_.bytes_of_embeddings = held_.bytes_of_batch = 0;

  // Tokens, requests, and the parts of the loss.
  constexpr std::int64_t fixed_totals = 3;
  const at::Tensor totals = at::empty({fixed_totals + parts}, at::kDouble);
  const at::Tensor& on_host = figures_on_host.get();
  totals.narrow(0, fixed_totals, parts).copy_(on_host.narrow(0, 0, parts));
  auto* total = totals.mutable_data_ptr<double>();
  total[0] = static_cast<double>(tokens);
  total[1] = requests.checkpoint ? 1 : 0;
  total[2] = requests.stop ? 1 : 0;
  communicator_.all_reduce_sum(totals);
  // Each part is one rank's, so that the order of this sum is the only one there is.
  const double loss = std::accumulate(total + fixed_totals, total + fixed_totals + parts, 0.0);
  return {loss,
          static_cast<std::int64_t>(total[0]),
          {.checkpoint = total[1] > 0, .stop = total[2] > 0},
          pieces_with_work,
          largest_piece,
          carried.defined() ? on_host.const_data_ptr<double>()[parts] : 0.0};
}

}  // namespace gausscse
