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
#include "model/ops/device_kernels.hpp"
#include "model/ops/transfers.hpp"

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

/// Returns whether a smaller micro-batch would leave less in memory: a piece has one example at least, or one of the
/// `shards`.
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

/// Sets `value` for as long as it lives, and back to nothing. Where an exception ends it, `value` stays as it is, so
/// that `memory` reports what was held, and what was to grow.
template <typename Value>
class TrainingStep::Holding {
 public:
  Holding(Value& value, Value held) : value_(value), exceptions_(std::uncaught_exceptions()) { value_ = held; }
  ~Holding() {
    if (std::uncaught_exceptions() == exceptions_) value_ = Value{};
  }
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;

 private:
  Value& value_;
  int exceptions_;
};

/// Values that the parts of a step share.
struct TrainingStep::Pass {
  Pass(TrainingStep& step, const PreparedBatch& prepared)
      : batch(prepared),
        keeps_activations(keeps(step)),
        first(batch.pieces.empty() ? 0 : batch.pieces.front().begin()),
        dropout(DropoutStep::of(step.settings_.seed, static_cast<std::uint64_t>(batch.step))),
        held_batch(step.held_.bytes_of_batch, batch.bytes_on_device()),
        embeddings(at::empty({step.objective_.roles(), share(step), step.encoder_.width()},
                             step.encoder_.parameters().values().options())),
        held_embeddings(step.held_.bytes_of_embeddings, static_cast<std::int64_t>(embeddings.nbytes())) {}

  std::int64_t share(const TrainingStep& step) const {
    return batch.shares[static_cast<std::size_t>(step.communicator_.rank())];
  }
  bool keeps(const TrainingStep& step) const {
    const std::int64_t most = step.settings_.micro_batch;
    return batch.pieces.size() == 1 || most == 0 || most >= share(step);
  }

  const PreparedBatch& batch;
  /// True if those of all micro-batches are kept; else each is embedded once more for its backward
  const bool keeps_activations;
  const std::int64_t first;  ///< this rank's first example in the batch
  const DropoutStep dropout;
  const Holding<std::int64_t> held_batch;
  at::Tensor embeddings;  ///< [roles, own, width]
  const Holding<std::int64_t> held_embeddings;
  std::int64_t tokens = 0, pieces = 0, largest_piece = 0;  ///< counts of what was embedded
};

/// Result of the loss for this rank's anchors.
struct TrainingStep::RankLoss {
  ops::HostCopy parts;  ///< waited for behind the backward, so that a device has work meanwhile
  at::Tensor gradient;  ///< by this rank's embeddings
};

TrainingStep::Result TrainingStep::run(const PreparedBatch& batch, const StepRequests& requests) {
  // Gradients are this program's own: LibTorch's calls need not pass through its autograd.
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  held_ = {.growing = Growing::activations};
  Pass pass(*this, batch);
  held_.pieces_can_shrink = can_shrink(batch.pieces, settings_.virtual_shards > 0, pass.keeps_activations);
  activations_.resize(pass.keeps_activations ? std::max(batch.pieces.size(), activations_.size()) : 1);

  embed(pass);
  RankLoss loss = evaluate(pass);
  backward(pass, loss.gradient);
  return sum_over_ranks(pass, requests, loss.parts.get());
}

void TrainingStep::embed(Pass& pass) {
  const Holding growing(held_.growing, Growing::activations);
  for (std::size_t i = 0; i < pass.batch.pieces.size(); ++i) {
    const Piece& piece = pass.batch.pieces[i];
    if (piece.examples() == 0) continue;
    const at::Tensor rows = forward(pass, i, pass.keeps_activations ? &activations_[i] : nullptr);
    for_each_shard(piece, objective_.roles(), rows, [&](const AnchorRange& shard, const at::Tensor& of_shard) {
      pass.embeddings.narrow(1, shard.begin - pass.first, shard.end - shard.begin).copy_(of_shard);
    });
    pass.tokens += pass.batch.packed[i].batch.tokens();
    ++pass.pieces;
    pass.largest_piece = std::max(pass.largest_piece, piece.examples());
  }
}

TrainingStep::RankLoss TrainingStep::evaluate(const Pass& pass) {
  const Holding growing(held_.growing, Growing::candidates);
  OwnRows own{.embeddings = pass.embeddings,
              .parameters = objective_parameters(),
              .step = {.seed = settings_.seed, .number = static_cast<std::uint64_t>(pass.batch.step)}};
  if (pass.batch.integers.defined()) {
    const at::Tensor all = RowGather(communicator_, pass.batch.shares).gather_integers(pass.batch.integers);
    own.labels = {all.select(1, 0).contiguous(), all.select(1, 1).contiguous()};
  }
  // Exchanges candidates and calls the objective, GaussianLoss of model/objective/gaussian_contrastive.cpp for
  // GaussCSE.
  const at::Tensor parts =
      at::zeros({static_cast<std::int64_t>(reduction_->loss_parts())}, pass.embeddings.options().dtype(at::kDouble));
  at::Tensor gradient = reduction_->evaluate(objective_, own, pass.batch.shares, pass.batch.pieces, parts);
  return {ops::HostCopy(parts), std::move(gradient)};
}

void TrainingStep::backward(Pass& pass, const at::Tensor& gradient) {
  ParameterStore& parameters = encoder_.parameters();
  reduction_->begin_backward(parameters);
  for (std::size_t i = 0; i < pass.batch.pieces.size(); ++i) {
    const Piece& piece = pass.batch.pieces[i];
    reduction_->begin_piece(parameters, piece);
    if (piece.examples() > 0) backward_of_piece(pass, i, gradient);
    reduction_->end_piece(piece);
  }
  reduction_->end_backward(parameters);
}

TrainingStep::Result TrainingStep::sum_over_ranks(const Pass& pass, const StepRequests& requests,
                                                  const at::Tensor& loss_parts) {
  // One collective for all: tokens, requests, and the parts of the loss.
  constexpr std::int64_t first_part = 3;
  const at::Tensor sums = at::empty({first_part + loss_parts.numel()}, at::kDouble);
  sums.narrow(0, first_part, loss_parts.numel()).copy_(loss_parts);
  auto* sum = sums.mutable_data_ptr<double>();
  sum[0] = static_cast<double>(pass.tokens);
  sum[1] = requests.checkpoint ? 1 : 0;
  sum[2] = requests.stop ? 1 : 0;
  communicator_.all_reduce_sum(sums);
  return {// Each part is one rank's, so that the order of this sum is the only one there is.
          .loss = std::accumulate(sum + first_part, sum + sums.numel(), 0.0),
          .tokens = static_cast<std::int64_t>(sum[0]),
          .requests = {.checkpoint = sum[1] > 0, .stop = sum[2] > 0},
          .pieces = pass.pieces,
          .largest_piece = pass.largest_piece};
}

at::Tensor TrainingStep::forward(const Pass& pass, std::size_t piece, SentenceActivations* kept) {
  const PreparedBatch::Packed& packed = pass.batch.packed[piece];
  if (!pass.keeps_activations) held_.sentences = held_.tokens = 0;
  held_.sentences += packed.batch.sentences();
  held_.tokens += packed.batch.tokens();
  return encoder_.forward(packed.batch, settings_.dropout ? &pass.dropout : nullptr, kept, packed.longest);
}

void TrainingStep::backward_of_piece(const Pass& pass, std::size_t piece, const at::Tensor& gradient) {
  const Holding growing(held_.growing, Growing::activations);
  SentenceActivations& activations = activations_[pass.keeps_activations ? piece : 0];
  if (!pass.keeps_activations) forward(pass, piece, &activations);
  const Piece& examples = pass.batch.pieces[piece];
  const std::int64_t roles = objective_.roles();
  at::Tensor of_piece = at::empty({roles * examples.examples(), encoder_.width()}, gradient.options());
  for_each_shard(examples, roles, of_piece, [&](const AnchorRange& shard, at::Tensor of_shard) {
    of_shard.copy_(gradient.narrow(1, shard.begin - pass.first, shard.end - shard.begin));
  });
  GradientsAreFinal on_final;
  if (piece + 1 == pass.batch.pieces.size())
    on_final = [&](std::int64_t element) { reduction_->gradients_are_final(encoder_.parameters(), element); };
  encoder_.backward(activations, of_piece, on_final);
}

}  // namespace gausscse
